# Writes a ConfigFile with every type, or reads that which the test has made of it. Prints each value: "=", section, key and hex.
extends SceneTree

func _init():
	var file = File.new()
	if not file.file_exists("res://changed.cfg"):
		var config = ConfigFile.new()
		var values = {
			"bool": true, "int": -7, "large": 9223372036854775807, "float": 1.5, "whole": 2.0,
			"string": "one\ntwo \"three\" \\ four\tfive;six=7[8", "unicode": "grüße 日本語 🎈",
			"vector2": Vector2(1, -2.5), "rect2": Rect2(1, 2, 3, 4), "vector3": Vector3(1, 2, 3),
			"transform2d": Transform2D(0, Vector2(3, 4)), "plane": Plane(1, 0, 0, 2), "quat": Quat(0, 0, 0, 1),
			"aabb": AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)), "basis": Basis(), "transform": Transform(),
			"color": Color(0.25, 0.5, 0.75, 1), "path": NodePath("abcd/efgh:ijkl"),
			"dictionary": {"a": 1, 2: [1, 2.5, {"b": null}], "c": {}}, "array": [null, [], {"x": Vector2(1, 2)}],
			"bytes": PoolByteArray([1, 2, 255]), "ints": PoolIntArray([1, -2]), "reals": PoolRealArray([0.5, -1]),
			"strings": PoolStringArray(["", "a\"b"]), "vectors2": PoolVector2Array([Vector2(1, 2)]),
			"vectors3": PoolVector3Array([Vector3(1, 2, 3)]), "colors": PoolColorArray([Color(1, 0, 0)]),
		}
		config.set_value("first section", "alone", 1)
		for key in values:
			config.set_value("values", key, values[key])
		config.save("res://written.cfg")
		show("res://written.cfg")
	else:
		show("res://changed.cfg")
	quit()

func show(path):
	var config = ConfigFile.new()
	if config.load(path) != OK:
		print("=not read")
	for section in config.get_sections():
		for key in config.get_section_keys(section):
			print("=", section, "/", key, " ", var2bytes(config.get_value(section, key)).hex_encode())
