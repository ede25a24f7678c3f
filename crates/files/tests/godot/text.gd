# Prints what the engine reads for the texts of cases.txt, each the value of a ConfigFile: its bytes, or none for an error.
extends SceneTree

func _init():
	var cases = File.new()
	cases.open("res://cases.txt", File.READ)
	while not cases.eof_reached():
		var text = cases.get_line()
		if text == "":
			continue
		var file = File.new()
		file.open("res://case.cfg", File.WRITE)
		file.store_string("[a]\nx=" + text + "\n")
		file.close()
		var config = ConfigFile.new()
		if config.load("res://case.cfg") == OK:
			print("=" + Marshalls.raw_to_base64(var2bytes(config.get_value("a", "x"))))
		else:
			print("=")
	quit()
