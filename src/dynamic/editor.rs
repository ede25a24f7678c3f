//! Many changes of one value, in order.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use super::bare;
use super::node::{Contents, Edit, EditError, Node, Notation, TypedText};
use super::part::{Found, Part};
use super::path::{Step, ValuePath};
use super::plain::{add_plain, set_plain};
use crate::TextError;

/// Changes values inside a value, in order. The time that a change takes depends on the length of its path, and not on the number
/// of values: the steps of a node are listed once, and items are removed together.
///
/// ```
/// use enginewire::formats::{Edit, Editor, Notation};
/// use enginewire::roblox::attributes::Attributes;
///
/// let mut attributes = Attributes::from_luau("{a = 1, b = 2, c = 3}")?;
/// let mut editor = Editor::new(&mut attributes, Notation::default());
/// editor.change(&"a".parse()?, &Edit::Remove)?;
/// editor.change(&"c".parse()?, &Edit::Set { type_name: None, text: "4".to_owned() })?;
/// editor.finish()?;
/// assert_eq!(attributes.to_luau(), "{b = 2, c = 4}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Editor<'n> {
    root: &'n mut dyn Node,
    notation: Notation,
    /// The nodes that hold what was looked for. A node comes after the one that holds it.
    holders: Vec<KnownSteps>,
}

/// The known steps of a node.
#[derive(Debug, Default)]
struct KnownSteps {
    /// The holder that it is in, and its number there; none for the outermost.
    place: Option<(usize, usize)>,
    /// The numbers of its items, with those that are to be removed. The first of several with a key has two steps.
    numbers: HashMap<Step, usize>,
    /// The numbers of the items with each key that several share.
    shared: Vec<Vec<usize>>,
    /// True if the removal of an item changes the steps to the items after it.
    shifts: bool,
    /// The numbers of items that are to be removed.
    removed: BTreeSet<usize>,
    /// The items that are holders themselves, by their numbers.
    inner: HashMap<usize, usize>,
}

impl KnownSteps {
    fn new(place: Option<(usize, usize)>, node: &dyn Node, notation: Notation) -> Self {
        let steps = node.steps(notation);
        let is_numbered = |step: &Step| matches!(step, Step::Item(item) if item.starts_with('#'));
        let is_list = matches!(node.contents(), Contents::List { .. });
        let shifts = is_list || steps.iter().any(is_numbered);
        let shared = node.repeated();
        let first = |numbers: &Vec<usize>| numbers.first().map(|first| (Step::numbered(*first), *first));
        let firsts: Vec<_> = shared.iter().filter_map(first).collect();
        let numbers = steps.into_iter().zip(0..).chain(firsts).collect();
        KnownSteps { place, numbers, shared, shifts, ..KnownSteps::default() }
    }

    /// The number of an item.
    fn number(&self, step: &Step) -> Result<usize, Failure> {
        let first_removed = self.removed.first().filter(|_| self.shifts);
        match self.numbers.get(step) {
            Some(number) if first_removed.is_some_and(|first| number >= first) => Err(Failure::Shifted),
            Some(number) if self.removed.contains(number) => Err(Failure::Missing),
            Some(number) => Ok(*number),
            None => Err(Failure::Missing),
        }
    }
}

/// Why an item is not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// The item does not exist.
    Missing,
    /// It may have another number as soon as what is to be removed is gone.
    Shifted,
}

impl fmt::Debug for Editor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Editor")
            .field("notation", &self.notation)
            .field("holders", &self.holders)
            .finish_non_exhaustive()
    }
}

impl<'n> Editor<'n> {
    /// An editor of this value.
    pub fn new(root: &'n mut dyn Node, notation: Notation) -> Self {
        Editor { root, notation, holders: Vec::new() }
    }

    /// The outermost value, with all changes made.
    ///
    /// # Errors
    ///
    /// If what is to be removed cannot be.
    pub fn root(&mut self) -> Result<&dyn Node, EditError> {
        self.finish()?;
        Ok(self.root)
    }

    /// The value at a path, with all changes made; but a node may still have items that are to be removed.
    ///
    /// # Errors
    ///
    /// [`EditError::NotFound`].
    pub fn at(&mut self, path: &ValuePath) -> Result<Found<'_>, EditError> {
        let (missing, notation) = (|| EditError::NotFound(path.clone()), self.notation);
        match self.part(path) {
            Some((known, part)) => {
                let part = part.at(path.0.get(known.saturating_add(1)..).unwrap_or_default(), notation);
                part.map(Found::Part).ok_or_else(missing)
            }
            None => self.item(&path.0)?.map(Found::Value).ok_or_else(missing),
        }
    }

    /// The item at the end of these steps.
    fn item(&mut self, steps: &[Step]) -> Result<Option<&dyn Node>, EditError> {
        let Some((last, steps)) = steps.split_last() else { return Ok(Some(self.root)) };
        let Some(number) = self.settled(steps, last)?.1 else { return Ok(None) };
        let node = self.holder(steps).ok().and_then(|(_, node)| node.item_mut(number));
        Ok(node.map(|node| &*node))
    }

    /// The first part of a value that holds no others on the way to a path, and the number of steps to this value.
    fn part(&mut self, path: &ValuePath) -> Option<(usize, Part)> {
        let (notation, steps) = (self.notation, &path.0);
        let is_there =
            |length: &usize| steps.get(..*length).is_some_and(|steps| matches!(self.item(steps), Ok(Some(_))));
        let known = (0..=steps.len()).rev().find(is_there)?;
        let (leaf, step) = (steps.get(..known)?, steps.get(known)?);
        Some((known, Part::new(self.item(leaf).ok()??, step, notation)?))
    }

    /// Changes the value at a path. Of several with one key, each is changed only by its number: readers do not agree on the one that
    /// counts.
    ///
    /// # Errors
    ///
    /// If no such value, or it cannot be changed so. A part of the change may be made then: the value is not to be written.
    pub fn change(&mut self, path: &ValuePath, edit: &Edit) -> Result<(), EditError> {
        let (missing, notation) = (|| EditError::NotFound(path.clone()), self.notation);
        let Some((last, steps)) = path.0.split_last() else {
            self.holders.clear();
            return match edit {
                Edit::Remove | Edit::Rename(_) => {
                    Err(TextError::new("the outermost value has no key, and cannot be removed").into())
                }
                edit => Ok(set(self.root, edit, path, notation)?),
            };
        };
        let (index, mut number) = self.settled(steps, last)?;
        if number.is_none()
            && let Some((known, part)) = self.part(path)
        {
            let (leaf, rest) = path.0.split_at_checked(known).unwrap_or_default();
            let rest = rest.get(1..).unwrap_or_default();
            let whole = part.changed(rest, edit, notation).map_err(|error| match error {
                EditError::NotFound(_) => missing(),
                error => error,
            })?;
            // the path is said once, by who names the whole
            return self.change(&ValuePath(leaf.to_vec()), &whole).map_err(|error| match error {
                EditError::Invalid(error) => TextError::new(error.message()).into(),
                error => error,
            });
        }
        let index = index.ok_or_else(missing)?;
        let holds_others = |editor: &Self| editor.holders.get(index).is_some_and(|holder| !holder.removed.is_empty());
        let makes_steps = matches!((number, edit), (None, _) | (_, Edit::Rename(_)));
        if makes_steps && holds_others(self) {
            self.finish()?;
            number = self.settled(steps, last)?.1;
        }
        let is_shared = |numbers: &&Vec<usize>| matches!(last, Step::Key(_)) && numbers.first() == number.as_ref();
        let shared = self.holders.get(index).and_then(|holder| holder.shared.iter().find(is_shared));
        let several = shared.map(|numbers| EditError::from(TextError::several(steps, numbers)));
        let (index, node) = self.holder(steps).map_err(|_| missing())?;
        match (number, edit) {
            (Some(_), Edit::Remove | Edit::Rename(_)) if several.is_some() => return several.map_or(Ok(()), Err),
            (Some(number), Edit::Remove) => {
                // an error if nothing can be removed from the node
                node.remove(&BTreeSet::new())?;
                self.forget(index, number);
                if let Some(holder) = self.holders.get_mut(index) {
                    holder.removed.insert(number);
                }
            }
            (Some(number), Edit::Rename(key)) => {
                if self.holders.get(index).is_some_and(|holder| holder.numbers.contains_key(key)) {
                    return Err(TextError::taken(key).into());
                }
                self.holder(steps).map_err(|_| missing())?.1.rename(number, key, notation)?;
                match self.holders.get_mut(index) {
                    // of several with the old key the next now is the first
                    Some(holder) if holder.shifts => self.finish()?,
                    Some(holder) => {
                        holder.numbers.remove(last);
                        holder.numbers.insert(key.clone(), number);
                    }
                    None => {}
                }
            }
            (Some(number), edit) => {
                let item = node.item_mut(number).ok_or_else(missing)?;
                let seen = |item: &dyn Node| (item.type_name(notation), item.text(notation));
                let several = several.map(|error| (error, seen(item)));
                set(item, edit, path, notation)?;
                if let Some((error, _)) = several.filter(|(_, before)| *before != seen(item)) {
                    return Err(error);
                }
                node.check_item(number)?;
                self.forget(index, number);
            }
            (None, Edit::SetPlain(text)) => {
                add_plain(node, last, text.as_bytes(), notation)?;
                self.added(index, last);
            }
            (None, Edit::Set { type_name, text }) => {
                bare::insert(node, last, TypedText { type_name: type_name.as_deref(), text }, notation)?;
                self.added(index, last);
            }
            (None, Edit::Remove | Edit::Rename(_)) => return Err(missing()),
        }
        Ok(())
    }

    /// The holder at the end of these steps, and its item at a further one. If removed items could have changed the steps, they
    /// are removed first.
    fn settled(&mut self, steps: &[Step], last: &Step) -> Result<(Option<usize>, Option<usize>), EditError> {
        for _ in 0..2 {
            let index = match self.holder(steps) {
                Ok((index, _)) => index,
                Err(Failure::Missing) => return Ok((None, None)),
                Err(Failure::Shifted) => {
                    self.finish()?;
                    continue;
                }
            };
            match self.holders.get(index).map(|holder| holder.number(last)) {
                Some(Ok(number)) => return Ok((Some(index), Some(number))),
                Some(Err(Failure::Shifted)) => self.finish()?,
                _ => return Ok((Some(index), None)),
            }
        }
        Ok((None, None))
    }

    /// The node at the end of these steps, which is known from now on.
    fn holder(&mut self, steps: &[Step]) -> Result<(usize, &mut dyn Node), Failure> {
        let Editor { root, notation, holders } = self;
        let mut node: &mut dyn Node = &mut **root;
        if holders.is_empty() {
            holders.push(KnownSteps::new(None, node, *notation));
        }
        let mut index = 0;
        for step in steps {
            let holder = holders.get(index).ok_or(Failure::Missing)?;
            let number = holder.number(step)?;
            let known = holder.inner.get(&number).copied();
            node = node.item_mut(number).ok_or(Failure::Missing)?;
            index = match known {
                Some(known) => known,
                None => {
                    let next = holders.len();
                    if let Some(holder) = holders.get_mut(index) {
                        holder.inner.insert(number, next);
                    }
                    holders.push(KnownSteps::new(Some((index, number)), node, *notation));
                    next
                }
            };
        }
        Ok((index, node))
    }

    /// Notes that a value was added to a holder, as the last.
    fn added(&mut self, index: usize, step: &Step) {
        if let Some(holder) = self.holders.get_mut(index) {
            let number = holder.numbers.len().saturating_sub(holder.shared.len());
            holder.numbers.insert(step.clone(), number);
        }
    }

    /// Forgets what an item holds, which is replaced or removed.
    fn forget(&mut self, index: usize, number: usize) {
        let mut left: Vec<_> =
            self.holders.get_mut(index).and_then(|holder| holder.inner.remove(&number)).into_iter().collect();
        while let Some(holder) = left.pop().and_then(|inner| self.holders.get_mut(inner)) {
            left.extend(std::mem::take(holder).inner.into_values());
        }
    }

    /// Removes what is to be removed, the innermost first. Must be called after the last change.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    pub fn finish(&mut self) -> Result<(), EditError> {
        let Editor { root, holders, .. } = self;
        for holder in holders.iter().rev().filter(|holder| !holder.removed.is_empty()) {
            let mut numbers = Vec::new();
            let mut place = holder.place;
            while let Some((outer, number)) = place {
                numbers.push(number);
                place = holders.get(outer).and_then(|outer| outer.place);
            }
            let mut node: &mut dyn Node = &mut **root;
            for number in numbers.into_iter().rev() {
                let there = || TextError::new("a value is not where it was");
                node = node.item_mut(number).ok_or_else(there)?;
            }
            node.remove(&holder.removed)?;
        }
        holders.clear();
        Ok(())
    }
}

/// Replaces the value at a path.
fn set(node: &mut dyn Node, edit: &Edit, path: &ValuePath, notation: Notation) -> Result<(), TextError> {
    let (done, text) = match edit {
        Edit::Set { type_name, text } => {
            (bare::assign(node, TypedText { type_name: type_name.as_deref(), text }, notation), text)
        }
        Edit::SetPlain(text) => (set_plain(node, text.as_bytes(), notation), text),
        Edit::Remove | Edit::Rename(_) => return Ok(()),
    };
    done.map_err(|error| match error.reason().contains(" does not fit ") {
        true => error.and(&wider(node, path, text.trim(), notation)),
        false => error,
    })
}

/// Advice about a number that is too large for the type of a node: the first type of the format that holds it.
#[cold]
fn wider(node: &mut dyn Node, path: &ValuePath, text: &str, notation: Notation) -> String {
    let (name, old) = (node.type_name(notation), node.text(notation));
    let holds = |wide: &&str| {
        let is_set = node.assign(TypedText { type_name: Some(*wide), text }, notation).is_ok();
        // some write `1e+39`
        let is_same = node.text(notation).replace('+', "") == text.replace('+', "");
        // the value stays as it was
        is_set && node.assign(TypedText { type_name: Some(name), text: &old }, notation).is_ok() && is_same
    };
    let found = ["Int16", "Int32", "Double"].into_iter().find(holds);
    found.map_or_else(String::new, |wide| format!("; write {path}:{wide}={text}"))
}

/// Changes the value at a path from a node.
///
/// # Errors
///
/// If no such value, or it cannot be changed so.
pub fn change(node: &mut dyn Node, path: &ValuePath, edit: &Edit, notation: Notation) -> Result<(), EditError> {
    let mut editor = Editor::new(node, notation);
    editor.change(path, edit)?;
    editor.finish()
}

/// Makes changes in order, each like [`change`]. Together they take time in proportion to their number and the size of the value:
/// see [`Editor`].
///
/// # Errors
///
/// Those of [`change`], with the path of the value.
pub fn change_all<'e>(
    node: &mut dyn Node,
    changes: impl IntoIterator<Item = (&'e ValuePath, &'e Edit)>,
    notation: Notation,
) -> Result<(), EditError> {
    let mut editor = Editor::new(node, notation);
    for (path, edit) in changes {
        editor.change(path, edit).map_err(|error| error.named(path))?;
    }
    editor.finish()
}

#[cfg(test)]
#[cfg(feature = "roblox")]
mod tests {
    use super::*;
    use crate::roblox::attributes::Attributes;
    use pretty_assertions::assert_eq;
    use std::cell::Cell;
    use std::rc::Rc;

    /// The value stays as it was where the error names a type that holds the number.
    #[test]
    fn a_number_that_does_not_fit_names_a_type_that_holds_it() {
        let before = Attributes::from_luau("{d = Int(1), f = Float(0.5), l = {Int(2)}, s = \"x\"}").unwrap();
        let range = "-2147483648 to 2147483647";
        let plain = |text: &str| Edit::SetPlain(text.to_owned());
        for (at, edit, reason) in [
            ("d", set("3000000000"), format!("3000000000 does not fit Int, {range}; write d:Double=3000000000")),
            ("d", set("-3000000000 "), format!("-3000000000 does not fit Int, {range}; write d:Double=-3000000000")),
            ("d", plain("3000000000"), format!("3000000000 does not fit Int, {range}; write d:Double=3000000000")),
            ("l[0]", set("3000000000"), format!("3000000000 does not fit Int, {range}; write l[0]:Double=3000000000")),
            // no type holds it exactly
            ("d", set("9007199254740993"), format!("9007199254740993 does not fit Int, {range}")),
            ("d", set("1.5"), "expected an Int such as 42, found 1.5".to_owned()),
            ("l", set("{Int(3000000000)}"), format!("3000000000 does not fit Int, {range}, at offset 5")),
            (
                "f",
                set("1e39"),
                "1e39 does not fit Float, -3.4028235e38 to 3.4028235e38; write f:Double=1e39".to_owned(),
            ),
        ] {
            let mut value = before.clone();
            let error = change(&mut value, &path(at), &edit, Notation::default()).unwrap_err();
            assert_eq!((error.to_string(), &value), (reason, &before), "{at}");
        }
    }

    /// A value with keys or a list, which counts every item that is listed, visited, moved or compared.
    struct Counting {
        is_list: bool,
        items: Vec<(Step, Counting)>,
        text: String,
        count: Rc<Cell<usize>>,
    }

    impl Counting {
        fn new(count: &Rc<Cell<usize>>, is_list: bool) -> Self {
            Counting { is_list, items: Vec::new(), text: String::new(), count: Rc::clone(count) }
        }

        /// The same with `length` items, each made by `item`.
        fn with(mut self, length: usize, item: impl Fn() -> Counting) -> Self {
            let step = |number| if self.is_list { Step::index(number) } else { Step::key(format!("k{number}")) };
            self.items = (0..length).map(|number| (step(number), item())).collect();
            self
        }

        fn add(&self, steps: usize) {
            self.count.set(self.count.get().saturating_add(steps));
        }

        fn shown(&self) -> String {
            if self.items.is_empty() {
                return self.text.clone();
            }
            let path = |step: &Step| ValuePath(vec![step.clone()]).to_string();
            let steps = self.steps(Notation::default());
            let items =
                steps.iter().zip(&self.items).map(|(step, (_, item))| format!("{}={}", path(step), item.shown()));
            format!("({})", items.collect::<Vec<_>>().join(" "))
        }
    }

    impl Node for Counting {
        fn steps(&self, _: Notation) -> Vec<Step> {
            self.add(self.items.len());
            match self.is_list {
                true => (0..self.items.len()).map(Step::index).collect(),
                false => self.items.iter().map(|(step, _)| step.clone()).collect(),
            }
        }

        fn list_length(&self) -> Option<usize> {
            self.is_list.then_some(self.items.len())
        }

        fn item(&self, number: usize) -> Option<&dyn Node> {
            self.add(1);
            Some(&self.items.get(number)?.1)
        }

        fn item_mut(&mut self, number: usize) -> Option<&mut dyn Node> {
            self.add(1);
            Some(&mut self.items.get_mut(number)?.1)
        }

        fn assign(&mut self, given: TypedText<'_>, _: Notation) -> Result<(), TextError> {
            self.text = given.text.to_owned();
            self.items.clear();
            Ok(())
        }

        fn insert(&mut self, step: &Step, given: TypedText<'_>, _: Notation) -> Result<(), TextError> {
            let mut item = Counting::new(&self.count, false);
            item.text = given.text.to_owned();
            self.items.push((step.clone(), item));
            Ok(())
        }

        fn remove(&mut self, numbers: &BTreeSet<usize>) -> Result<(), TextError> {
            if !numbers.is_empty() {
                self.add(self.items.len());
            }
            super::super::node::remove_from(&mut self.items, numbers)
        }

        fn rename(&mut self, number: usize, key: &Step, _: Notation) -> Result<(), TextError> {
            self.items[number].0 = key.clone();
            Ok(())
        }
    }

    fn set(text: &str) -> Edit {
        Edit::Set { type_name: None, text: text.to_owned() }
    }

    fn path(text: &str) -> ValuePath {
        text.parse().unwrap()
    }

    /// Each change of one of many values takes the same few steps, for values in any place and for any change.
    #[test]
    fn many_changes_take_steps_in_proportion_to_their_number() {
        const MANY: usize = 20_000;
        type Change = fn(usize) -> (String, Edit);
        let changes: [(bool, Change); 7] = [
            (false, |number| (format!("k0[0].k{number}"), set("1"))),
            (false, |number| (format!("k0[0].new{number}"), set("1"))),
            (false, |number| (format!("k0[0].k{number}"), Edit::Remove)),
            (false, |number| (format!("k0[0].k{number}"), Edit::Rename(Step::key(format!("n{number}"))))),
            (true, |number| (format!("k0[0][{number}]"), set("1"))),
            (true, |number| (format!("k0[0][{}]", MANY - 1 - number), Edit::Remove)),
            (true, |number| (format!("k0[0][{}]", MANY + number), set("1"))),
        ];
        for (case, (is_list, of)) in changes.into_iter().enumerate() {
            let count = Rc::new(Cell::new(0));
            let new = |is_list| Counting::new(&count, is_list);
            let mut root = new(false).with(1, || new(true).with(1, || new(is_list).with(MANY, || new(false))));
            let changes: Vec<_> = (0..MANY).map(of).map(|(at, edit)| (path(&at), edit)).collect();
            super::super::change_all(&mut root, changes.iter().map(|(path, edit)| (path, edit)), Notation::default())
                .unwrap();
            assert!(count.get() <= 16 * MANY, "change {case}: {} steps", count.get());
            let left = root.items[0].1.items[0].1.items.len();
            assert_eq!(left, [MANY, 2 * MANY, 0, MANY, MANY, 0, 2 * MANY][case], "change {case}");
        }
        // many values with a few nodes each
        let count = Rc::new(Cell::new(0));
        let new = |is_list| Counting::new(&count, is_list);
        let mut root = new(true).with(MANY, || new(false).with(3, || new(false)));
        let mut editor = Editor::new(&mut root, Notation::default());
        for number in 0..MANY {
            editor.change(&path(&format!("[{number}].k1")), &Edit::Remove).unwrap();
            editor.change(&path(&format!("[{number}].k2")), &set("7")).unwrap();
        }
        editor.finish().unwrap();
        assert_eq!(root.items[MANY - 1].1.shown(), "(k0= k2=7)");
        assert!(count.get() <= 32 * MANY, "{}", count.get());
    }

    /// Removing things later must not be seen: every change means the values as all before it have left them.
    #[test]
    fn a_change_sees_those_before_it() {
        let list = "[0]=a [1]=b [2]=c [3]=d";
        let keys = "k0=a k1=b k2=c k3=d";
        for (is_list, changes, expected) in [
            (true, "-[0] -[0]", "([0]=c [1]=d)"),
            (true, "-[3] -[0] [0]=x", "([0]=x [1]=c)"),
            (true, "-[1] [1]=x [3]=y", "([0]=a [1]=x [2]=d [3]=y)"),
            (true, "-[3] -[2] [1]=x -[1]", "([0]=a)"),
            (true, "-[1] -[4]", "missing [4]"),
            (true, "-[3] -[3]", "missing [3]"),
            (false, "-k0 -k0", "missing k0"),
            (false, "-k0 -k2 k3=x", "(k1=b k3=x)"),
            (false, "-k1 k1=x k4=y", "(k0=a k2=c k3=d k1=x k4=y)"),
            (false, "-k1 k0>k1 k1=x", "(k1=x k2=c k3=d)"),
            (false, "k0>k9 k0=x k9=y", "(k9=y k1=b k2=c k3=d k0=x)"),
            (false, "k0>k1", "there is a value k1 already"),
            (false, "k0=x k0.a=1 -k0.a k0.b=2 k0.b=3 k0=y", "(k0=y k1=b k2=c k3=d)"),
            (false, "k0.a=1 k0.b=2 -k0.a k0=y -k1", "(k0=y k2=c k3=d)"),
            (false, "k0.a=1 -k0.a -k0 -k2", "(k1=b k3=d)"),
        ] {
            let count = Rc::new(Cell::new(0));
            let mut root = Counting::new(&count, is_list).with(4, || Counting::new(&count, false));
            for (item, text) in root.items.iter_mut().zip(["a", "b", "c", "d"]) {
                item.1.text = text.to_owned();
            }
            assert_eq!(root.shown(), format!("({})", if is_list { list } else { keys }));
            let mut editor = Editor::new(&mut root, Notation::default());
            let change =
                |editor: &mut Editor<'_>, change: &str| match (change.strip_prefix('-'), change.split_once('=')) {
                    (Some(at), _) => editor.change(&path(at), &Edit::Remove),
                    (None, Some((at, text))) => editor.change(&path(at), &set(text)).map(|()| {
                        assert!(editor.at(&path(at)).is_ok(), "{at}");
                    }),
                    (None, None) => {
                        let (at, key) = change.split_once('>').unwrap();
                        editor.change(&path(at), &Edit::Rename(Step::key(key)))
                    }
                };
            let done = changes.split(' ').try_for_each(|text| change(&mut editor, text)).and_then(|()| editor.finish());
            let found = match done {
                Ok(()) => root.shown(),
                Err(EditError::NotFound(path)) => format!("missing {path}"),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, expected, "{changes}");
        }
    }

    /// The second of two values with the same key is the first as soon as that is gone.
    #[test]
    fn values_with_the_same_key_move_up() {
        let mut value =
            crate::roblox::attributes::decode(b"\x03\0\0\0\x01\0\0\0a\x03\x01\x01\0\0\0a\x03\x00\x01\0\0\0b\x03\x01")
                .unwrap();
        let mut editor = Editor::new(&mut value, Notation::default());
        let several =
            "several values have this key, and readers do not agree on the one that counts: remove them first, or name [#0] or [#1]";
        for edit in [Edit::Remove, Edit::Rename(Step::key("c")), Edit::SetPlain("true".to_owned()), set("false")] {
            let done = editor.change(&path("a"), &edit).map_err(|error| error.to_string());
            let is_same = matches!(edit, Edit::SetPlain(_));
            assert_eq!(done, if is_same { Ok(()) } else { Err(several.to_owned()) });
        }
        editor.change(&path("[#0]"), &Edit::Remove).unwrap();
        assert_eq!(editor.at(&path("a")).unwrap().text(Notation::default()), "false");
        editor.change(&path("a"), &Edit::Rename(Step::key("c"))).unwrap();
        assert!(editor.at(&path("[#1]")).is_err());
        editor.change(&path("b"), &Edit::Remove).unwrap();
        assert_eq!(editor.root().unwrap().steps(Notation::default()), [Step::key("c")]);
        editor.finish().unwrap();
        assert_eq!(value.to_luau(), "{c = false}");
    }
}
