//! Tests of the XML form.

use super::edit::to_base64;
use super::BOM;
use crate::roblox::model::{
    edit, list_bytes, Change, FileKind, Kind, Listing, ModelError, Options, Place, Property, Referent, Store, Tags,
    ValueError,
};
use bstr::BStr;
use pretty_assertions::assert_eq;

const FILE: &str = r#"<roblox version="4">
  <Item class="Folder" referent="A"><Properties>
    <BinaryString name="AttributesSerialize"><![CDATA[AQAA
AAIA]]>AABP bgMB</BinaryString>
    <string name="Name">a &amp; &#98;&lt;<![CDATA[<c>]]>&other;</string>
    <Other name="Tags"/>
  </Properties>
  <Item class="StyleRule" referent="B"><Properties>
    <SharedString name="PropertiesSerialize">KEY</SharedString>
    <BinaryString name="Tags">####</BinaryString>
    <Vector3 name="Name2"><X>1</X><Item/></Vector3>
  </Properties></Item>
  </Item>
  <Item class="Model" referent="C"><Properties></Properties></Item>
  <SharedStrings><SharedString md5="KEY">AAAAAA==</SharedString></SharedStrings>
</roblox>"#;

fn listed(file: &[u8], options: &Options) -> Listing {
    list_bytes(file, options).unwrap()
}

fn all() -> Options {
    Options::new().empty(true).all_instances(true)
}

fn edited(file: &[u8], changes: &[Change<'_>]) -> Result<Vec<u8>, String> {
    let edited = edit(file, changes, Store::AsBefore, &Options::new());
    edited.map(|edited| edited.into_owned()).map_err(|error| error.to_string())
}

fn edited_text(file: &str, changes: &[Change<'_>]) -> String {
    String::from_utf8(edited(file.as_bytes(), changes).unwrap()).unwrap()
}

#[test]
fn properties_are_found_wherever_they_are() {
    let listing = listed(FILE.as_bytes(), &all());
    assert!(listing.problems.is_empty(), "{:?}", listing.problems);
    let found: Vec<_> = listing.properties().map(|found| (found.kind, found.bytes)).collect();
    let offset = u64::try_from(FILE.find("####").unwrap()).unwrap();
    assert_eq!(
        found,
        [
            (Kind::AttributesSerialize, Ok(BStr::new(b"\x01\0\0\0\x02\0\0\0On\x03\x01"))),
            (Kind::Tags, Ok(BStr::new(""))),
            (Kind::PropertiesSerialize, Ok(BStr::new(&[0; 4]))),
            (Kind::Tags, Err(ValueError::Base64 { offset })),
        ],
    );
    let paths: Vec<_> = (0..3).map(|index| listing.path(index).to_string()).collect();
    assert_eq!(paths, ["a & b<<c>&other;", "a & b<<c>&other;.", ""]);
    assert_eq!(listing.find("#B".into()).collect::<Vec<_>>(), [1]);
    let others = listed(FILE.as_bytes(), &Options::new());
    assert_eq!((others.instances().len(), others.properties().len()), (2, 3));
}

#[test]
fn memory_has_a_limit() {
    for limit in (0..20_000).step_by(50) {
        let options = all().max_memory(limit);
        let mut listing = Listing::default();
        let peak = allocation_counter::measure(|| listing = listed(FILE.as_bytes(), &options)).bytes_max;
        // 2000 bytes cover the report of a problem and the XML reader
        assert!(peak <= u64::try_from(limit).unwrap() + 2000, "{limit}: {peak}");
        let is_limit =
            |problem: &ModelError| problem.to_string().starts_with("more memory is needed than the limit of ");
        assert!(listing.problems.iter().all(|problem| problem.is_of_limit() && is_limit(problem)));
        assert!(listing.properties().all(|property| listing.instance_of(&property).is_some()));
    }
    assert_eq!(listed(FILE.as_bytes(), &all().max_memory(20_000)).problems.len(), 0);
    assert_eq!(listed(FILE.as_bytes(), &all().max_memory(10)).problems.len(), 1);
}

#[test]
fn only_what_changes_changes() {
    let listing = listed(FILE.as_bytes(), &all());
    let properties: Vec<Property<'_>> = listing.properties().collect();
    let [on, tags, shared, broken] = &properties[..] else { panic!("there are others") };
    let edited = |changes: &[Change<'_>]| edited_text(FILE, changes);
    assert_eq!(edited(&[Change::of(on, b"\x01\0\0\0\x02\0\0\0On\x03\x01"), Change::of(tags, b"")]), FILE);
    let expected = FILE.replace("<Other name=\"Tags\"/>", "<Other name=\"Tags\">YQBi</Other>");
    assert_eq!(edited(&[Change::of(tags, b"a\0b")]), expected);
    let own = "<BinaryString name=\"PropertiesSerialize\">/w==</BinaryString>";
    let expected = FILE.replace("<SharedString name=\"PropertiesSerialize\">KEY</SharedString>", own);
    assert_eq!(edited(&[Change::of(shared, b"\xff")]), expected);
    assert_eq!(edited(&[Change::of(broken, b"")]), FILE.replace("####", ""));
    // an element without a key has no content of its own, so all of it is replaced
    let keyless = FILE.replace(">KEY</SharedString>", "/>");
    let other = listed(keyless.as_bytes(), &all());
    let shared = other.property_at(2).unwrap();
    let expected = keyless.replace("<SharedString name=\"PropertiesSerialize\"/>", own);
    assert_eq!(edited_text(&keyless, &[Change::of(&shared, b"\xff")]), expected);
    assert_eq!(edited(&[Change::of(broken, b"a")]), FILE.replace("####", "YQ=="));
    let new = "<Properties><BinaryString name=\"Tags\">YQ==</BinaryString></Properties>";
    let change = Change::of_instance(&listing.instance(2).unwrap(), Kind::Tags, b"a");
    assert_eq!(edited(&[change]), FILE.replace("<Properties></Properties>", &new.replace("><B", ">\t<B")));
}

#[test]
fn items_are_known_by_their_place() {
    for referents in [["", ""], [" referent=\"A\"", " referent=\"A\""]] {
        let item = |referent: &str, name: &str| {
            let name = format!("<string name=\"Name\">{name}</string>");
            format!("<Item class=\"Folder\"{referent}><Properties>{name}</Properties></Item>\n")
        };
        let items: Vec<_> = ["one", "two"].iter().zip(referents).map(|(name, referent)| item(referent, name)).collect();
        let file = format!("<roblox version=\"4\">{}</roblox>", items.concat());
        let listing = listed(file.as_bytes(), &all());
        for (index, name) in ["one", "two"].into_iter().enumerate() {
            let instance = listing.instance(index).unwrap();
            assert_eq!(listing.find(BStr::new(&instance.place.to_string())).collect::<Vec<_>>(), [index]);
            let changed = edited_text(&file, &[Change::of_instance(&instance, Kind::Tags, b"a")]);
            let listing = listed(changed.as_bytes(), &Options::new());
            assert_eq!(listing.properties().map(|found| listing.path(found.instance)).collect::<Vec<_>>(), [name]);
        }
    }
}

#[test]
fn a_property_is_changed_once() {
    let listing = listed(FILE.as_bytes(), &all());
    let on = listing.property_at(0).unwrap();
    let folder = listing.instance(0).unwrap();
    let model = listing.instance(2).unwrap();
    let twice = Err("cannot change the property: a property is changed twice".to_owned());
    let of_folder = Change::of_instance(&folder, Kind::AttributesSerialize, b"c");
    let of_model = |bytes| Change::of_instance(&model, Kind::Tags, bytes);
    for changes in [
        [Change::of(&on, b"a"), Change::of(&on, b"b")],
        [Change::of(&on, b"a"), of_folder],
        [of_model(b"a"), of_model(b"b")],
    ] {
        assert_eq!(edited(FILE.as_bytes(), &changes), twice);
    }
    let mut elsewhere = on;
    let Place::Xml(place) = &mut elsewhere.place else { panic!("it is XML") };
    place.element.end += 1;
    assert!(edited(FILE.as_bytes(), &[Change::of(&elsewhere, b"a")]).unwrap_err().contains("no property at"));
}

/// Of several properties with one name the last counts; of several elements for properties the first has room.
#[test]
fn properties_may_be_there_twice() {
    let file = "<roblox ><Item><Properties><S name=\"Tags\">YQ==</S><S name=\"Tags\">Yg==</S></Properties>\
                <Item><Properties></Properties><Properties ></Properties></Item></Item></roblox>";
    let listing = listed(file.as_bytes(), &all());
    assert_eq!(listing.property(0, Kind::Tags).unwrap().bytes, Ok(BStr::new("b")));
    let [outer, inner] = [0, 1].map(|index| listing.instance(index).unwrap());
    let changed = edited_text(file, &[Change::of_instance(&outer, Kind::Tags, b"c")]);
    assert_eq!(changed, file.replace("Yg==", "Yw=="));
    let changed = edited_text(file, &[Change::of_instance(&inner, Kind::Tags, b"c")]);
    let new = "<Properties>\t<BinaryString name=\"Tags\">Yw==</BinaryString></Properties>";
    assert_eq!(changed, file.replacen("<Properties></Properties>", new, 1));
}

#[test]
fn long_values_are_written_in_lines() {
    assert_eq!(to_base64(&[0; 54]).len(), 72);
    let long = String::from_utf8(to_base64(&[0; 55])).unwrap();
    assert_eq!(long, format!("<![CDATA[{}\nAA==]]>", "A".repeat(72)));
}

#[test]
fn broken_text_keeps_what_comes_before() {
    let cut = FILE.find("<SharedString name").unwrap();
    for (text, reason) in [
        (FILE[..cut].to_owned(), "the file ends inside an element"),
        (FILE.replace("</string>", "</strin>"), "ill-formed"),
        (
            FILE.replace("name=\"PropertiesSerialize\"", "name=\"Properties&#83;erialize\""),
            "the name of a property has an entity",
        ),
        (
            FILE.replace("<Item class=\"StyleRule\"", "<!DOCTYPE a><Item class=\"StyleRule\""),
            "a document type is not allowed",
        ),
        (FILE[..cut + 5].to_owned(), "syntax error"),
        (
            FILE.replace("<Item class=\"StyleRule\"", "\n<<<<<<< HEAD\n<Item class=\"StyleRule\""),
            "a conflict of Git begins in line 9, which has two versions",
        ),
    ] {
        let listing = listed(text.as_bytes(), &Options::new());
        assert_eq!(listing.properties().len(), 1);
        let message = listing.problems[0].to_string();
        assert!(message.contains(reason), "{message}");
        let is_cut = text.len() < FILE.len() && FILE.starts_with(&text);
        assert_eq!(matches!(listing.problems[0], ModelError::XmlEnd { .. }), is_cut, "{message}");
        assert!(edited(text.as_bytes(), &[]).is_err());
    }
    let twice = format!("{FILE}<roblox a=\"\"/>");
    let listing = listed(twice.as_bytes(), &Options::new());
    let message = format!("there is more than one outermost element, at byte {:#x}", FILE.len());
    assert_eq!((listing.properties().len(), listing.problems[0].to_string()), (3, message));
}

#[test]
fn attributes_may_have_entities_but_in_names_of_properties() {
    let file = "<roblox ><Item class=\"A&amp;B\" referent=\"&#x41;\"><Properties><SharedString name=\"Tags\">&lt;K\
                </SharedString></Properties></Item><SharedStrings><X md5=\"&lt;K\">YQ==</X></SharedStrings></roblox>";
    let listing = listed(file.as_bytes(), &Options::new());
    assert_eq!(listing.problems.len(), 0);
    let instance = listing.instance(0).unwrap();
    assert_eq!((instance.class, instance.referent), (BStr::new("A&B"), Referent::Text(BStr::new("A"))));
    assert_eq!(listing.property_at(0).unwrap().bytes, Ok(BStr::new("a")));
}

#[test]
fn a_declaration_and_comments_may_come_first() {
    let offset = FILE.find("<BinaryString").unwrap();
    for before in [
        "\u{feff}",
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n",
        "<!-- <roblox --> \n<!-- -->",
        "\u{feff} <?a?><!---->",
    ] {
        let file = format!("{before}{FILE}");
        assert_eq!(FileKind::of(file.as_bytes()), Some(FileKind::Xml));
        let listing = listed(file.as_bytes(), &Options::new());
        assert_eq!((listing.properties().len(), listing.problems.len()), (3, 0), "{before}");
        let property = listing.property_at(0).unwrap();
        let Place::Xml(place) = &property.place else { panic!("it is XML") };
        assert_eq!(place.element.start, u64::try_from(before.len() + offset).unwrap());
        let changed = edited_text(&file, &[Change::of(&property, b"a")]);
        assert!(changed.starts_with(before) && changed.ends_with(&FILE[FILE.len() - 300..]));
    }
    for before in ["<!-- -- >", "<?xml ", "<!DOCTYPE roblox>", "text "] {
        assert_eq!(FileKind::of(format!("{before}{FILE}").as_bytes()), None, "{before}");
    }
}

/// A text that is not UTF-8 somewhere else is read, and a name that is not is what it is.
#[test]
fn other_text_need_not_be_utf_8() {
    let broken: Vec<u8> = FILE.replace("a &amp; ", "\u{1}").into_bytes();
    let broken: Vec<u8> = broken.into_iter().map(|byte| if byte == 1 { 0xff } else { byte }).collect();
    for file in [broken.clone(), [BOM, &broken].concat()] {
        let listing = listed(&file, &all());
        assert_eq!((listing.properties().len(), listing.problems.len()), (4, 0));
        assert_eq!(listing.path(0), &b"\xffb<<c>&other;"[..]);
        let on = listing.property_at(0).unwrap();
        let changed = edited(&file, &[Change::of(&on, b"a")]).unwrap();
        assert_eq!(listed(&changed, &all()).property_at(0).unwrap().bytes, Ok(BStr::new("a")));
    }
}

/// Only the elements that Roblox Studio reads: properties are in `Properties`, shared strings in `SharedStrings`, a name is
/// that of the property `Name`, and the text of a shared string is not that of the elements in it.
#[test]
fn other_elements_tell_nothing() {
    let shared = |strings: &str, content: &str| {
        format!(
            "<roblox ><Item class=\"Folder\"><Others><S name=\"Tags\">YQ==</S></Others><Properties><S name=\"Name\">a</S>\
             <S name=\"Other\">b</S><SharedString name=\"AttributesSerialize\">K</SharedString></Properties></Item>\
             <{strings}><X md5=\"K\">{content}</X></{strings}></roblox>"
        )
    };
    let found = |file: &str| {
        let listing = listed(file.as_bytes(), &Options::new());
        assert!(listing.problems.is_empty(), "{:?}", listing.problems);
        let all: Vec<_> = listing.properties().map(|property| (property.kind, property.bytes)).collect();
        let [(kind, bytes)] = &all[..] else { panic!("{all:?}") };
        assert_eq!((*kind, listing.path(0)), (Kind::AttributesSerialize, "a".into()));
        bytes.clone().map(|bytes| bytes.to_vec())
    };
    assert_eq!(found(&shared("SharedStrings", "AAAAAA==")), Ok(vec![0; 4]));
    assert_eq!(found(&shared("SharedStrings", "AAAA<b>BBBB<c/>CCCC</b><d/>AA==")), Ok(vec![0; 4]));
    assert_eq!(found(&shared("Others", "AAAAAA==")), Err(ValueError::SharedString("K".into())));
}

/// Faults that Roblox Studio accepts although they are not valid XML are reported with their places. Everything is listed
/// nonetheless, and an edited file keeps the faults.
#[test]
fn faults_outside_of_values_are_warnings() {
    const NO_REFERENCE: &str = "an & begins no reference such as &amp; and is read as text";
    const NO_QUOTES: &str = "the value of an attribute has no quotes";
    // the old text, the new text, where the fault begins in the new text, and the reason
    for (old, new, fault, reason) in [
        ("&other;", "& other", "& other", NO_REFERENCE),
        ("&other;", "&other", "&other", NO_REFERENCE),
        ("&other;", "&#65 b", "&#65 b", NO_REFERENCE),
        ("&other;", "&#x0;", "&#x0;", NO_REFERENCE),
        ("&other;", "&", "&", NO_REFERENCE),
        ("&other;", "a]]>b", "]]>b", "a ]]> outside of CDATA (inside CDATA, write it as ]]]]><![CDATA[>)"),
        ("version=\"4\"", "version=4", "4", NO_QUOTES),
        ("version=\"4\"", "version = 4 ", "4", NO_QUOTES),
        ("class=\"StyleRule\"", "class=StyleRule", "StyleRule", NO_QUOTES),
        ("name=\"PropertiesSerialize\"", "name=PropertiesSerialize", "PropertiesSerialize", NO_QUOTES),
        ("md5=\"KEY\"", "md5=KEY", "KEY", NO_QUOTES),
        ("<X>", "<X odd>", ">1</X>", "an attribute has no value"),
        ("<X>", "<X a= a=\"\">", "a=\"\">", NO_QUOTES),
        ("<X>", "<X a=>", ">1</X>", "an attribute has no value"),
        ("<Properties></Properties>", "<Properties/>", "<Properties/>", "the element Properties is empty"),
        (
            "</Properties></Item>\n  </Item>",
            "</Properties>> </Item>\n  </Item>",
            "> </Item>",
            "text that belongs to no property",
        ),
        ("<SharedStrings>", "<SharedStrings> >", "><SharedString ", "text that belongs to no property"),
    ] {
        let valid = if old == "&other;" { FILE.to_owned() } else { FILE.replace("&other;", "") };
        let file = valid.replacen(old, new, 1);
        let listing = listed(file.as_bytes(), &all());
        assert!(listing.problems.is_empty(), "{new}: {:?}", listing.problems);
        let place = valid.find(old).unwrap();
        let place = place + file[place..].find(fault).unwrap();
        assert_eq!(listing.warning_texts(), [format!("{reason}, at byte {place:#x}")], "{new}");
        assert_eq!((listing.instances().len(), listing.properties().len()), (3, 4), "{new}");
        assert_eq!(listing.property_at(2).unwrap().bytes, Ok(BStr::new(&[0; 4])), "{new}");
        let changed = edited_text(&file, &[Change::of(&listing.property_at(1).unwrap(), b"a")]);
        assert_eq!(changed, file.replace("<Other name=\"Tags\"/>", "<Other name=\"Tags\">YQ==</Other>"), "{new}");
    }
    // an & in an attribute has the place of its tag
    for class in ["A&B", "&what;"] {
        let file = FILE.replace("class=\"StyleRule\"", &format!("class=\"{class}\"")).replace("&other;", "");
        let listing = listed(file.as_bytes(), &all());
        assert_eq!(listing.instance(1).unwrap().class, class);
        let place = file.find("<Item class=\"&").or(file.find("<Item class=\"A&")).unwrap();
        assert_eq!(listing.warning_texts(), [format!("{NO_REFERENCE}, at byte {place:#x}")]);
    }
    let file = FILE.replace("class=\"StyleRule\"", "class=\"StyleRule\" class=\"Part\"").replace("&other;", "");
    let listing = listed(file.as_bytes(), &all());
    assert_eq!(listing.instance(1).unwrap().class, "StyleRule");
    let place = file.find("<Item class=\"StyleRule\"").unwrap();
    assert_eq!(
        listing.warning_texts(),
        [format!("an attribute is there twice, and the first counts, at byte {place:#x}")]
    );
    // of a property that is not listed, also in its name
    let file = FILE.replace("Name2", "R&amp;D").replace("&other;", "");
    assert_eq!((listed(file.as_bytes(), &all()).problems.len(), listed(file.as_bytes(), &all()).warning_count), (0, 0));
    let file = FILE.replace("Name2", "R&D").replace("&other;", "");
    assert_eq!((listed(file.as_bytes(), &all()).problems.len(), listed(file.as_bytes(), &all()).warning_count), (0, 1));
}

#[test]
fn bytes_after_the_end_are_a_warning() {
    let file = FILE.replace("&other;", "");
    // whitespace and comments are valid there
    for (after, place) in [
        ("\n", None),
        (" \r\n", None),
        ("\n<!-- a -->\n", None),
        (">", Some(0)),
        ("\n&", Some(1)),
        ("more & more", Some(0)),
        ("\n <!-- a -->\n a <!-- b --> c", Some(14)),
    ] {
        let longer = format!("{file}{after}");
        let listing = listed(longer.as_bytes(), &all());
        let text =
            |place| format!("unexpected bytes after the end of the file's content, at byte {:#x}", file.len() + place);
        let expected: Vec<_> = place.into_iter().map(text).collect();
        assert_eq!((listing.problems.len(), listing.warning_texts()), (0, expected), "{after}");
        let allowed = listed(longer.as_bytes(), &all().trailing_bytes(true));
        assert_eq!((allowed.problems.len(), allowed.warning_count), (0, 0), "{after}");
        let changed = edited_text(&longer, &[Change::of(&listing.property_at(0).unwrap(), b"a")]);
        assert!(changed.ends_with(&format!("</roblox>{after}")));
    }
}

/// The first warnings are kept, and the others are counted.
#[test]
fn many_warnings_are_counted() {
    let file = FILE.replace("&other;", &"& ".repeat(1000));
    let listing = listed(file.as_bytes(), &all());
    assert_eq!((listing.warnings.len(), listing.warning_count), (Listing::MOST_WARNINGS, 1000));
    assert_eq!(listing.warning_texts().last().unwrap(), "there are 990 more warnings");
    let file = FILE.replace("&other;", &"& ".repeat(11));
    assert_eq!(listed(file.as_bytes(), &all()).warning_texts().last().unwrap(), "there is 1 more warning");
}

/// A fault in the text of a value is an error of that value, and not a warning.
#[test]
fn faults_of_values_are_errors() {
    let file = |content: &str| {
        format!("<roblox ><Item><Properties><string name=\"Tags\">{content}</string></Properties></Item></roblox>")
    };
    let of = |content: &str| {
        let file = file(content);
        let listing = listed(file.as_bytes(), &all());
        assert_eq!((listing.problems.len(), listing.warning_count), (0, 0));
        listing.property_at(0).unwrap().bytes.map(ToOwned::to_owned)
    };
    let offset = u64::try_from(file("").find("</string>").unwrap()).unwrap();
    assert_eq!(of("YQ&=="), Err(ValueError::Base64 { offset }));
    assert_eq!(of("YQ==]]>"), Err(ValueError::Base64 { offset }));
    assert_eq!(of("&#89;Q=="), Ok("a".into()));
    for content in ["&#1;&#0;", "&lt;a"] {
        assert_eq!(of(content), Err(ValueError::References { offset }), "{content}");
    }
    let text = ValueError::References { offset: 16 }.to_string();
    assert!(text.starts_with("expected base64, found a character reference"), "{text}");
}

/// If a CDATA section ends too early and its rest breaks the file, the error names the end of the section.
#[test]
fn an_early_end_of_cdata_is_named() {
    let file = |script: &str| {
        let script = format!("<ProtectedString name=\"Source\"><![CDATA[{script}]]></ProtectedString>");
        format!("<roblox ><Item><Properties>{script}<S name=\"Name\">a</S></Properties></Item></roblox>")
    };
    let problem = |file: &str| listed(file.as_bytes(), &all()).problems.first().map(ToString::to_string);
    let broken = file("if a[b[1]]>2 and c<d then end");
    let place = broken.find("]]>").unwrap();
    let reason = format!(
        "(the CDATA section before it ended at the ]]> at byte {place:#x}; inside CDATA, write ]]> as ]]]]><![CDATA[>)"
    );
    assert!(problem(&broken).unwrap().contains(&reason), "{:?}", problem(&broken));
    assert!(problem(&broken[..broken.find("then").unwrap()]).unwrap().contains(&reason));
    // if the rest is valid text, nothing is broken
    let odd = file("if a[b[1]]>2 then end");
    assert_eq!(problem(&odd), None);
    let place = odd.rfind("]]>").unwrap();
    let warning = format!("a ]]> outside of CDATA (inside CDATA, write it as ]]]]><![CDATA[>), at byte {place:#x}");
    assert_eq!(listed(odd.as_bytes(), &all()).warning_texts(), [warning]);
    // another error does not mention a complete section
    let other = file("a").replace("</ProtectedString>", "</Other>");
    assert!(!problem(&other).unwrap().contains("]]>"), "{:?}", problem(&other));
}

/// An element that holds no properties is opened for the first ones.
#[test]
fn an_empty_element_gets_properties() {
    for (empty, open) in [("<Properties/>", "<Properties>"), ("<Properties a=\"/>\" />", "<Properties a=\"/>\" >")] {
        let file = format!("<roblox ><Item>\n\t{empty}\n</Item><Item>{empty}</Item></roblox>");
        let listing = listed(file.as_bytes(), &all());
        let [first, second] = [0, 1].map(|index| listing.instance(index).unwrap());
        let element = |kind: Kind, text: &str| format!("<BinaryString name=\"{}\">{text}</BinaryString>", kind.name());
        let changes = [
            Change::of_instance(&second, Kind::Tags, b"c"),
            Change::of_instance(&first, Kind::Tags, b"a"),
            Change::of_instance(&first, Kind::AttributesSerialize, b"b"),
        ];
        let [one, both] =
            [element(Kind::Tags, "Yw=="), element(Kind::AttributesSerialize, "Yg==") + &element(Kind::Tags, "YQ==")];
        let expected = format!(
            "<roblox ><Item>\n\t{open}{both}</Properties>\n</Item><Item>{open}{one}</Properties></Item></roblox>"
        );
        assert_eq!(edited_text(&file, &changes), expected);
        assert_eq!(edited_text(&file, &[Change::of_instance(&first, Kind::Tags, b"")]), file);
    }
}

/// Only the property that changes gets a value of its own. The key of a shared string is any text.
#[test]
fn an_edit_leaves_shared_strings_alone() {
    let item = |name: &str| {
        let shared = |kind: Kind, key: &str| format!("<SharedString name=\"{}\">{key}</SharedString>", kind.name());
        let [attributes, tags] = [shared(Kind::AttributesSerialize, "not an MD5"), shared(Kind::Tags, "T=")];
        format!("<Item><Properties><S name=\"Name\">{name}</S>{attributes}{tags}</Properties></Item>")
    };
    let strings = "<SharedStrings><SharedString md5=\"T=\">YQ==</SharedString>\
                   <SharedString md5=\"not an MD5\">AQAAAAIAAABPbgMB</SharedString></SharedStrings>";
    let file = format!("<roblox >{}{}{strings}</roblox>", item("one"), item("two"));
    let listing = listed(file.as_bytes(), &all());
    assert_eq!(listing.attributes_of(1).unwrap().len(), 1);
    assert_eq!(listing.instances_with_tag("a").collect::<Vec<_>>(), [0, 1]);
    for kind in [Kind::AttributesSerialize, Kind::Tags] {
        let property = listing.property(1, kind).unwrap();
        let Place::Xml(place) = &property.place else { panic!("it is XML") };
        assert!(place.is_shared);
        let [start, end] = [place.element.start, place.element.end].map(|offset| usize::try_from(offset).unwrap());
        let own = format!("<BinaryString name=\"{}\">Yg==</BinaryString>", kind.name());
        let expected = [&file[..start], &own, &file[end..]].concat();
        for change in [Change::of(&property, b"b"), Change::of_instance(&listing.instance(1).unwrap(), kind, b"b")] {
            assert_eq!(edited_text(&file, &[change]), expected);
        }
    }
}

/// A file is read in pieces, which may end anywhere: in a tag, a character, a reference, or before bytes that are not UTF-8.
#[test]
fn a_piece_of_the_file_may_end_anywhere() {
    let text = [&FILE.as_bytes()[..FILE.len() - 10], b"<!-- \xff\xc3 --><Item class=\"F\" referent=\"\xc3\xa4\"><Properties>\
        <string name=\"Name\">\xe2\x82\xac & \xff\xe2\x82 &#8364;&\xf0\x9f\x98\x80\xfe;]]></string></Properties></Item></roblox> x"];
    let text = text.concat();
    let seen = |before: usize| {
        let file = [b"<!--", &vec![b'-'; before][..], b"-->", &text].concat();
        let listing = listed(&file, &all());
        let shown = |error: &ModelError| error.to_string().rsplit_once(" byte ").unwrap().0.to_owned();
        let offset = |error: &ModelError| error.offset().map(|at| at - u64::try_from(before).unwrap());
        let errors: Vec<_> =
            listing.warnings.iter().chain(&listing.problems).map(|it| (shown(it), offset(it))).collect();
        let names: Vec<_> = listing.instances().map(|instance| instance.name.to_owned()).collect();
        let values: Vec<_> = listing.properties().map(|found| found.bytes.ok().map(ToOwned::to_owned)).collect();
        let change = listing.set_tags(0, &Tags::from_bytes(b"Hot")).unwrap();
        let changed = edited(&file, &[change]).map(|changed| changed[before + 7..].to_owned());
        (errors, names, values, changed)
    };
    let whole = seen(1);
    assert!(whole.0.len() > 3 && whole.1.len() == 4 && whole.3.is_ok(), "{whole:?}");
    let size = usize::try_from(super::super::window::SIZE).unwrap();
    for end in 0..text.len() {
        assert_eq!(seen(size - end), whole, "{end}");
    }
}
