# Decodes each line of cases.txt, and writes it again: "=" and the hex of its bytes.
extends SceneTree

func _init():
	var file = File.new()
	file.open("res://cases.txt", File.READ)
	while not file.eof_reached():
		var line = file.get_line()
		if line == "":
			continue
		var bytes = PoolByteArray()
		bytes.resize(line.length() / 2)
		for i in range(line.length() / 2):
			bytes.set(i, ("0x" + line.substr(i * 2, 2)).hex_to_int())
		print("=", var2bytes(bytes2var(bytes)).hex_encode())
	quit()
