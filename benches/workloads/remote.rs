//! Remote packets, the same in every run.

use enginewire::roblox::datatypes::Vector3;
use enginewire::roblox::remote::{CFrame, Event, PackedQuaternion, Packet, PacketData, Pair, Ref, Value};
use enginewire::wire::ValueVec;

fn event(arguments: ValueVec<Value<'static>>) -> PacketData<'static> {
    let [remote, player] = [759_399, 690_521].map(|id| Some(Ref::of_server(id)));
    PacketData { remote, event_id: 0x0b70, event: Event::OnServerEvent { player, arguments } }
}

/// One event with this number of arguments.
pub(crate) fn one(arguments: u32, value: impl Fn(u32) -> Value<'static>) -> Packet<'static> {
    [event((0..arguments).map(value).collect())].into_iter().collect()
}

/// Events of six arguments, as mixed as a game sends them.
pub(crate) fn mixed(events: u32) -> Packet<'static> {
    (0..events).map(|index| event((0..6).map(|at| argument(index * 6 + at)).collect())).collect()
}

fn argument(index: u32) -> Value<'static> {
    let number = f64::from(index);
    match index % 6 {
        0 => "Attack".into(),
        1 => number.into(),
        2 => Vector3 { x: number as f32, y: 1.0, z: -1.0 }.into(),
        3 => {
            let rotation = PackedQuaternion::from_quaternion([0.1, 0.2, number + 1.0, 0.4]).unwrap().into();
            CFrame { position: Vector3::default(), rotation }.into()
        }
        4 => vec![Pair::new("target", Some(Ref::of_server(index))), Pair::new("damage", number)].into(),
        _ => vec![true.into(), Value::Nil, "kick".into()].into(),
    }
}
