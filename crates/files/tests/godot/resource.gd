# Saves resources with properties of every type, and a scene, in both byte orders. Prints "=" and the name of each file.
extends SceneTree

func keep(name, resource, flags = 0):
	if ResourceSaver.save("res://" + name, resource, flags) == OK:
		print("=", name)

func _init():
	var values = [
		null, true, false, 0, -1, 2147483647, 2147483648, -2147483648, -2147483649, 0.0, -0.0, 1.5, 0.1, NAN, INF, 1e300,
		"", "a", "grüße", "🎈", Vector2(1, -2), Rect2(1, 2, 3, 4), Vector3(1, 2, 3), Transform2D(0.5, Vector2(3, 4)),
		Plane(1, 0, 0, 2), Quat(1, 2, 3, 4), AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)),
		Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)), Transform(Basis(), Vector3(1, 2, 3)),
		Color(0.25, 0.5, 0.75, 1), NodePath(""), NodePath("/root/a:b:c"), NodePath("a/b"), {}, [],
		{"a": 1, 2: "b", null: [1, 2.5, {"c": []}]}, PoolByteArray([]), PoolByteArray([1, 2, 3, 4, 5]), PoolIntArray([1, -2]),
		PoolRealArray([0.5, -1]), PoolStringArray(["", "abc"]), PoolVector2Array([Vector2(1, 2)]),
		PoolVector3Array([Vector3(1, 2, 3)]), PoolColorArray([Color(1, 0, 0)]),
	]
	var outside = Gradient.new()
	keep("outside.res", outside)
	outside.take_over_path("res://outside.res")
	var resource = Resource.new()
	resource.resource_name = "demo"
	resource.set_meta("values", values)
	resource.set_meta("inside", Gradient.new())
	resource.set_meta("outside", outside)
	keep("values.res", resource)
	keep("values_be.res", resource, ResourceSaver.FLAG_SAVE_BIG_ENDIAN)
	var root = Node2D.new()
	root.name = "Main"
	var player = Node2D.new()
	player.name = "Player"
	player.position = Vector2(10, 20)
	player.add_to_group("players", true)
	root.add_child(player)
	player.owner = root
	var twin = Node2D.new()
	twin.name = "Twin"
	twin.position = Vector2(10, 20)
	player.add_child(twin)
	twin.owner = root
	var timer = Timer.new()
	timer.name = "Timer"
	root.add_child(timer)
	timer.owner = root
	timer.connect("timeout", player, "set_position", [Vector2(3, 4)], Object.CONNECT_PERSIST)
	var scene = PackedScene.new()
	scene.pack(root)
	keep("main.scn", scene)
	root.free()
	quit()
