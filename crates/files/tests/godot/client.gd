# Sends values to the server whose port stands in port.txt, and writes whether each comes back.
extends SceneTree

func _init():
	var file = File.new()
	file.open("res://port.txt", File.READ)
	var peer = StreamPeerTCP.new()
	peer.connect_to_host("127.0.0.1", int(file.get_line()))
	var tries = 0
	while peer.get_status() == StreamPeerTCP.STATUS_CONNECTING and tries < 500:
		OS.delay_msec(10)
		tries += 1
	for value in [null, 42, "hello", {"position": Vector3(1, 2, 3), "tags": PoolStringArray(["a"])}, [1, [2.5]]]:
		peer.put_var(value)
		var answer = peer.get_var()
		print("=", var2bytes(answer).hex_encode() == var2bytes(value).hex_encode())
	peer.disconnect_from_host()
	quit()
