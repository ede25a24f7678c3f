//! Changes as they are written on the command line and in the lines of `get`: `Fuel=42`, `Fuel:Double=42`.

use enginewire::formats::{leading_path, Edit, ValuePath};

use crate::input::pattern::leading_pattern;

/// A value that changes, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub path: ValuePath,
    /// Takes the place of the path: all values change whose paths fit it.
    pub pattern: Option<String>,
    pub edit: Edit,
    /// The number of the line that says it, if one does.
    pub line: Option<usize>,
}

impl Assignment {
    /// A change of the value with this path.
    pub fn of(path: ValuePath, edit: Edit) -> Self {
        Assignment { path, pattern: None, edit, line: None }
    }

    /// The same, of this line.
    pub fn of_line(self, line: usize) -> Self {
        Assignment { line: Some(line), ..self }
    }

    /// A change of the value with this path, or of those that it fits as a pattern.
    pub fn at(path: &str, edit: Edit) -> Result<Self, enginewire::TextError> {
        Ok(match leading_pattern(path) {
            Some((pattern, "")) => {
                Assignment { pattern: Some(pattern.to_owned()), ..Assignment::of(ValuePath::default(), edit) }
            }
            _ => Assignment::of(path.parse()?, edit),
        })
    }

    /// Takes the value for plain JSON.
    pub fn make_plain(&mut self) -> Result<(), String> {
        if let Edit::Set { type_name, text } = &mut self.edit {
            if let Some(name) = type_name {
                return Err(format!("with --plain a value keeps its type; leave out :{name}"));
            }
            self.edit = Edit::SetPlain(std::mem::take(text));
        }
        Ok(())
    }
}

/// Parses `PATH=VALUE` or `PATH:TYPE=VALUE`. Without a path, it is the outermost value that changes.
pub fn assignment(text: &str) -> Result<Assignment, String> {
    let (pattern, path, rest) = match leading_pattern(text) {
        Some((pattern, rest)) => (Some(pattern.to_owned()), ValuePath::default(), rest),
        None => {
            let (path, rest) = leading_path(text).map_err(|error| error.to_string())?;
            (None, path, rest)
        }
    };
    let (type_name, value) = match (rest.strip_prefix('='), rest.strip_prefix(':').and_then(typed)) {
        (Some(value), _) => (None, value),
        (None, Some((name, value))) => (Some(name.to_owned()), value),
        (None, None) => {
            let quotes = match rest.contains('=') {
                    true => "; a name with other characters than letters, digits and _ - / @ $ % needs quotes: '\"max fuel\"=42'",
                    false => "",
                };
            return Err(format!(
                "expected PATH=VALUE or PATH:TYPE=VALUE, such as Fuel=42 or Fuel:Double=42, found {text:?}{quotes}"
            ));
        }
    };
    let edit = Edit::Set { type_name, text: value.to_owned() };
    Ok(Assignment { pattern, ..Assignment::of(path, edit) })
}

/// The type and the value of `TYPE=VALUE`. A type may have others in brackets: `Array[int]`.
fn typed(text: &str) -> Option<(&str, &str)> {
    let (_, rest) = leading_path(text.get(text.find(['=', '['])?..)?).ok()?;
    Some((text.strip_suffix(rest)?, rest.strip_prefix('=')?))
}

/// Returns true if an argument is a change and not an address: it has an equals sign outside quotes and brackets.
pub fn is_assignment(text: &str) -> bool {
    let rest = leading_pattern(text).map(|(_, rest)| rest).or_else(|| Some(leading_path(text).ok()?.1));
    rest.is_some_and(|rest| rest.starts_with(['=', ':']) && rest.contains('='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_type_stands_between_path_and_value() {
        let set = |path: &str, type_name: Option<&str>, text: &str| {
            let edit = Edit::Set { type_name: type_name.map(str::to_owned), text: text.to_owned() };
            Ok(Assignment::of(path.parse().unwrap(), edit))
        };
        assert_eq!(assignment("Fuel=42"), set("Fuel", None, "42"));
        assert_eq!(assignment("Fuel:Double=42"), set("Fuel", Some("Double"), "42"));
        assert_eq!(assignment(r#""a=b:c"="d=e""#), set(r#""a=b:c""#, None, r#""d=e""#));
        assert_eq!(assignment("slots[3].id="), set("slots[3].id", None, ""));
        for name in ["Array[int]", "Dictionary[String, int]", r#"Array[Resource("res://a=b]c.gd")]"#] {
            assert_eq!(assignment(&format!("list:{name}=[1]")), set("list", Some(name), "[1]"));
            assert!(is_assignment(&format!("list:{name}=[1]")));
        }
        let error = |text| assignment(text).unwrap_err();
        assert!(error("Fuel").starts_with("expected PATH=VALUE or PATH:TYPE=VALUE"), "{}", error("Fuel"));
        assert!(!error("Fuel").contains("quotes") && error("max fuel=42").ends_with("needs quotes: '\"max fuel\"=42'"));
        assert_eq!(assignment("=42"), set("", None, "42"));
        let pattern = |text| assignment(text).unwrap().pattern.unwrap();
        assert_eq!((pattern("Fu*=4*2"), pattern("slots[*].\"a=*\":Int=2")), ("Fu*".into(), "slots[*].\"a=*\"".into()));
        assert_eq!(assignment("\"a*\"=*").unwrap().pattern, None);
        assert!(is_assignment("**:Int=3") && !is_assignment("Workspace.**") && !is_assignment("a.*:b"));
        assert!(is_assignment("a[\"x=y\"]:Int=3") && !is_assignment("Workspace.\"a=b\"") && !is_assignment("#12"));
    }
}
