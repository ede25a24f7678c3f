# Writes values of every type, each as "=" and the hex of its bytes.
extends SceneTree

func _init():
	var values = [
		null, true, false, 0, -1, 2147483647, 2147483648, -2147483648, -2147483649, 9223372036854775807,
		0.0, -0.0, 1.5, 0.1, 1e300, INF, -INF, 16777217.0, "", "a", "hello", "grüße", "日本語", "🎈",
		Vector2(1, -2), Rect2(1, 2, 3, 4), Vector3(1, 2, 3), Transform2D(0.5, Vector2(3, 4)),
		Plane(1, 0, 0, 2), Quat(1, 2, 3, 4), AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)),
		Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)),
		Transform(Basis(), Vector3(1, 2, 3)), Color(0.25, 0.5, 0.75, 1), NodePath(""), RID(),
		{}, {"a": 1, 2: "b", null: [1, 2.5, {"c": []}]}, [], [null, [[]], {"x": Vector2(1, 2)}],
		PoolByteArray([]), PoolByteArray([1, 2, 3, 255]), PoolByteArray([7]), PoolIntArray([1, -2]),
		PoolRealArray([0.5, -1]), PoolStringArray([]), PoolStringArray(["", "a", "abc", "abcd"]),
		PoolVector2Array([Vector2(1, 2)]), PoolVector3Array([Vector3(1, 2, 3)]), PoolColorArray([Color(1, 0, 0)]),
	]
	for value in values:
		print("=", var2bytes(value).hex_encode())
	quit()
