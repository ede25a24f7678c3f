# Writes a file of every mode, size and content, and one that is a compressed resource. Reads back what `edited` holds. Prints "=" and
# for each the name and the content in hexadecimal.
extends SceneTree

const SIZES = [0, 1, 15, 16, 4095, 4096, 4097, 10000]

func content(size, is_text):
	var bytes = PoolByteArray()
	bytes.resize(size)
	var state = size
	for i in range(size):
		state = (state * 1103515245 + 12345) & 0x7fffffff
		bytes.set(i, "the quick brown fox ".ord_at(i % 20) if is_text else (state >> 16) & 255)
	return bytes

func _init():
	var file = File.new()
	for mode in range(4):
		for size in SIZES:
			for is_text in [false, true]:
				var name = "%d_%d_%s.gcpf" % [mode, size, "text" if is_text else "random"]
				var edited = "res://edited_" + name
				if file.file_exists(edited):
					file.open_compressed(edited, File.READ, mode)
					print("=", name, " ", file.get_buffer(file.get_len()).hex_encode())
				else:
					file.open_compressed("res://" + name, File.WRITE, mode)
					file.store_buffer(content(size, is_text))
					print("=", name, " ", content(size, is_text).hex_encode())
				file.close()
	if file.file_exists("res://edited.res"):
		print("=", load("res://edited.res").get_message("a"))
	else:
		var translation = Translation.new()
		translation.add_message("a", "before")
		ResourceSaver.save("res://resource.res", translation, ResourceSaver.FLAG_COMPRESS)
	quit()
