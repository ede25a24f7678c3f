# Writes encrypted files of several sizes with a password and with a key. Reads back those that begin with "edited_". Prints "=" and for
# each the name and the content in hexadecimal.
extends SceneTree

const SIZES = [0, 1, 15, 16, 17, 1000]

func open(file, path, mode, by_key):
	if not by_key:
		return file.open_encrypted_with_pass(path, mode, "pässword")
	var key = PoolByteArray()
	for i in range(32):
		key.append(i * 7)
	return file.open_encrypted(path, mode, key)

func _init():
	var file = File.new()
	for size in SIZES:
		for by_key in [false, true]:
			var name = "%d_%s.gdec" % [size, "key" if by_key else "password"]
			if file.file_exists("res://edited_" + name):
				open(file, "res://edited_" + name, File.READ, by_key)
				print("=", name, " ", file.get_buffer(file.get_len()).hex_encode())
			else:
				var bytes = PoolByteArray()
				for i in range(size):
					bytes.append(i % 251)
				open(file, "res://" + name, File.WRITE, by_key)
				file.store_buffer(bytes)
				print("=", name, " ", bytes.hex_encode())
			file.close()
	quit()
