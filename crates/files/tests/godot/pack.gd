# Makes a pack of three files, or prints the files of changed.pck.
extends SceneTree

func _init():
	var file = File.new()
	if not file.file_exists("res://changed.txt"):
		var packer = PCKPacker.new()
		packer.pck_start("res://made.pck", 16)
		for name in ["one.txt", "three.txt", "two.txt"]:
			packer.add_file("res://packed/" + name, "res://" + name)
		packer.flush()
		print("=made")
	else:
		ProjectSettings.load_resource_pack("res://changed.pck")
		for name in ["one.txt", "three.txt", "two.txt"]:
			if file.open("res://packed/" + name, File.READ) == OK:
				print("=", file.get_as_text())
				file.close()
			else:
				print("=not there")
	quit()
