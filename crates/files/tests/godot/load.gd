# Loads what enginewire wrote and prints what it has.
extends SceneTree

func _init():
	for name in ["values.res", "values_be.res"]:
		var resource = load("res://" + name)
		print("=", resource.resource_name, " ", resource.get_meta("values").size(), " ", resource.get_meta("inside").get_class())
	var root = load("res://main.scn").instance()
	var player = root.get_node("Player")
	print("=", player.position, " ", player.get_node("Twin").position, " ", player.is_in_group("players"))
	print("=", root.get_node("Timer").is_connected("timeout", player, "set_position"))
	root.free()
	quit()
