//! Values in Luau.

use std::fmt;

use nom::Parser;

use super::blob::Attributes;
use super::entry::Entry;
use super::enum_item::EnumItem;
use super::font::Font;
use super::options::Options;
use super::tween_info::TweenInfo;
use super::value::{TypeId, Value};
use crate::limits::Limited;
use crate::notation::{call, comma, sign, Form, Lua, Read};
use crate::roblox::luau::{self, item, item_of, luau_methods, luau_types, write_item};
use crate::wire::{ByteString, ValueVec};
use crate::TextError;

luau_types! {
    Value, TypeId, Entry;
    nothing {}
    leaves {
        String Quote "\"text\"";
        Bool Words("true" "false") "true";
        Int Nothing "42";
        Float Nothing "0.5";
        Double Number "17.5";
        UDim Name "UDim.new(0, 12)";
        UDim2 Name "UDim2.new(0, 1, 0, 2)";
        Ray Name "Ray.new(Vector3.new(0, 0, 0), Vector3.new(0, 1, 0))";
        Faces Name "Faces.new(Enum.NormalId.Right, Enum.NormalId.Top)";
        Axes Name "Axes.new(Enum.Axis.X, Enum.Axis.Z)";
        BrickColor Name "BrickColor.new(\"Bright red\")";
        Color3 Name "Color3.new(1, 0, 0)";
        Vector2 Name "Vector2.new(1, 2)";
        Vector3 Name "Vector3.new(1, 2, 3)";
        Vector2int16 Name "Vector2int16.new(1, 2)";
        Vector3int16 Name "Vector3int16.new(1, 2, 3)";
        CFrame Name "CFrame.new(1, 2, 3)";
        EnumItem Words("Enum") "Enum.Material.Grass";
        NumberSequence Name
            "NumberSequence.new({NumberSequenceKeypoint.new(0, 1), NumberSequenceKeypoint.new(1, 0.5, 0.25)})";
        NumberSequenceKeypoint Name "NumberSequenceKeypoint.new(0, 1, 0.5)";
        ColorSequence Name
            "ColorSequence.new({ColorSequenceKeypoint.new(0, Color3.new(1, 0, 0)), ColorSequenceKeypoint.new(1, Color3.new(0, 0, 1))})";
        ColorSequenceKeypoint Name "ColorSequenceKeypoint.new(0, Color3.new(1, 0, 0))";
        NumberRange Name "NumberRange.new(5, 10)";
        Rect Name "Rect.new(10, 20, 30, 40)";
        Region3 Name "Region3.new(Vector3.new(0, 0, 0), Vector3.new(1, 1, 1))";
        Region3int16 Name "Region3int16.new(Vector3int16.new(0, 0, 0), Vector3int16.new(1, 1, 1))";
        Font Name
            "Font.new(\"rbxasset://fonts/families/Arial.json\", Enum.FontWeight.Regular, Enum.FontStyle.Normal)";
        TweenInfo Name "TweenInfo.new(1, Enum.EasingStyle.Quad, Enum.EasingDirection.Out, 0, false, 0)";
        Ref Nothing "7";
    }
    list Array "{1, 2}";
    pairs Dictionary "{Health = 100, [\"a key\"] = true}";
}

/// `Enum.Material.Grass`
impl Form<Lua> for EnumItem<'_> {
    fn read(input: &str) -> Read<'_, Self> {
        item(input).map(|(rest, (enum_name, value))| (rest, EnumItem { enum_name, value }))
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write_item(&self.enum_name, self.value, out)
    }
}

/// `Font.new("family", Enum.FontWeight.Regular, Enum.FontStyle.Normal)`; the id of the face, which Luau does not know, is a fourth
/// argument where it is not empty.
impl Form<Lua> for Font<'_> {
    fn read(input: &str) -> Read<'_, Self> {
        let weight = |input| narrowed("FontWeight", input);
        let style = |input| narrowed("FontStyle", input);
        let text = <ByteString<'static> as Form<Lua>>::read;
        let arguments = (text, or_default(weight, 400), or_default(style, 0), or_default(text, ByteString::default()));
        let font = |(family, weight, style, cached_face_id)| Font { weight, style, family, cached_face_id };
        call("Font.new", arguments).map(font).parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str("Font.new(")?;
        Form::<Lua>::write(&self.family, out)?;
        out.write_str(", ")?;
        write_item(b"FontWeight", self.weight.into(), out)?;
        out.write_str(", ")?;
        write_item(b"FontStyle", self.style.into(), out)?;
        if !self.cached_face_id.is_empty() {
            out.write_str(", ")?;
            Form::<Lua>::write(&self.cached_face_id, out)?;
        }
        out.write_char(')')
    }
}

/// `TweenInfo.new(1, Enum.EasingStyle.Quad, Enum.EasingDirection.Out, 0, false, 0)`: time, style, direction, count, reverses and
/// delay. Those at the end may be missing when it is read, as in Luau.
impl Form<Lua> for TweenInfo {
    fn read(input: &str) -> Read<'_, Self> {
        let default = TweenInfo::default();
        let number = <f32 as Form<Lua>>::read;
        let time = move |input| match sign(')')(input) {
            Ok(_) => Ok((input, default.time)),
            Err(_) => number(input),
        };
        let arguments = (
            time,
            or_default(item_of("EasingStyle"), default.easing_style),
            or_default(item_of("EasingDirection"), default.easing_direction),
            or_default(<i32 as Form<Lua>>::read, default.repeat_count),
            or_default(<bool as Form<Lua>>::read, default.reverses),
            or_default(number, default.delay),
        );
        let tween = |(time, easing_style, easing_direction, repeat_count, reverses, delay)| TweenInfo {
            time,
            delay,
            repeat_count,
            easing_style,
            easing_direction,
            reverses,
        };
        call("TweenInfo.new", arguments).map(tween).parse(input)
    }

    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str("TweenInfo.new(")?;
        Form::<Lua>::write(&self.time, out)?;
        out.write_str(", ")?;
        write_item(b"EasingStyle", self.easing_style, out)?;
        out.write_str(", ")?;
        write_item(b"EasingDirection", self.easing_direction, out)?;
        write!(out, ", {}, {}, ", self.repeat_count, self.reverses)?;
        Form::<Lua>::write(&self.delay, out)?;
        out.write_char(')')
    }
}

/// An argument after a comma, or what it is by default where the arguments end before it.
fn or_default<'t, T: Clone>(read: impl Fn(&'t str) -> Read<'t, T>, default: T) -> impl Fn(&'t str) -> Read<'t, T> {
    move |input| match comma(input) {
        Ok((rest, ())) => read(rest),
        Err(_) => Ok((input, default.clone())),
    }
}

/// An item of an enum whose number takes fewer bits.
fn narrowed<'t, T: TryFrom<u32>>(enum_name: &'static str, input: &'t str) -> Read<'t, T> {
    let (rest, number) = item_of(enum_name)(input)?;
    match T::try_from(number) {
        Ok(number) => Ok((rest, number)),
        Err(_) => crate::notation::expected(crate::notation::space(input), format_args!("an item of Enum.{enum_name}")),
    }
}

luau_methods! {
    /// ```
    /// use enginewire::roblox::attributes::{TypeId, Value};
    ///
    /// assert_eq!(Value::Int(42).to_luau(), "42");
    /// assert_eq!(Value::from_luau("42", Some(TypeId::Int))?, Value::Int(42));
    /// assert_eq!(Value::from_luau("42", None)?, Value::Double(42.0));
    /// assert_eq!(Value::Int(42).to_typed_luau(), "Int(42)");
    /// assert_eq!(Value::from_luau("Int(42)", None)?, Value::Int(42));
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    Value, TypeId, |options: &Options| options
}

impl Attributes<'_> {
    /// All entries as a table of Luau, with types where the text does not show them.
    ///
    /// ```
    /// use enginewire::roblox::attributes::{Attributes, Value};
    ///
    /// let attributes: Attributes<'_> = [("Health", Value::Int(100)), ("Name", "Torch".into())].into_iter().collect();
    /// assert_eq!(attributes.to_luau(), r#"{Health = Int(100), Name = "Torch"}"#);
    /// assert_eq!(Attributes::from_luau(&attributes.to_luau())?, attributes);
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    #[must_use]
    pub fn to_luau(&self) -> String {
        luau::written(|out| luau::write_pairs::<Value<'_>>(self.entries(), out))
    }

    /// Reads all entries.
    ///
    /// # Errors
    ///
    /// As for [`Value::from_luau`].
    pub fn from_luau(text: &str) -> Result<Attributes<'static>, TextError> {
        Attributes::from_luau_with(text, &Options::new())
    }

    /// The same, with the [depth](Options::limits) of these options.
    ///
    /// # Errors
    ///
    /// As for [`Value::from_luau`].
    pub fn from_luau_with(text: &str, options: &Options) -> Result<Attributes<'static>, TextError> {
        // the table of entries does not count as a level
        let depth = Limited::limits(options).depth().saturating_add(1);
        let value: Value<'static> = luau::read(text, Some(TypeId::Dictionary), depth)?;
        Ok(ValueVec::try_from(value)
            .map(|entries: ValueVec<Entry<'_>>| entries.into_iter().collect())
            .unwrap_or_default())
    }
}
