# SPDX-License-Identifier: Apache-2.0
"""Sends to a receiver of OTLP what nobody should, and prints what it answers, a line each.

Where it listens is in OTEL_EXPORTER_OTLP_ENDPOINT.
"""
import gzip
import http.client
import os
import socket
import urllib.parse

where = urllib.parse.urlsplit(os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"])
place = (where.hostname, where.port)
JSON = {"Content-Type": "application/json"}
WIRE = {"Content-Type": "application/x-protobuf"}
SPAN = (
    b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c",\n'
    b'"spanId":"%016x","name":"GET","startTimeUnixNano":"1000","endTimeUnixNano":"2000"}]}]}]}'
)


def ask(what, method="POST", path="/v1/traces", body=b"", headers=JSON, chunked=False):
    connection = http.client.HTTPConnection(*place)
    connection.request(method, path, body, headers, encode_chunked=chunked)
    answer = connection.getresponse()
    said = answer.read()
    allow = answer.getheader("Allow")
    words = said.decode("latin-1") if answer.getheader("Content-Type") == JSON["Content-Type"] else ""
    print(what, answer.status, *([allow] if allow else []), *([words] if words else []))
    connection.close()


def raw(what, *parts):
    """Sends bytes as they are; prints the code of the answer, or that there was none."""
    with socket.create_connection(place) as connection:
        try:
            for part in parts:
                connection.sendall(part)
            line = connection.makefile("rb").readline()
        except ConnectionError:
            line = b""
        print(what, line.split()[1].decode() if line else "no answer")


# One that never goes on, to the end of all others: the receiver must not wait for it.
slow = socket.create_connection(place)
slow.sendall(b"POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\nContent-Le")
# One that is cut in its body.
cut = socket.create_connection(place)
cut.sendall(b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
cut.close()

ask("get", "GET")
ask("path", path="/v1/trace?x=1", body=b"{}")
ask("type", body=b"{}", headers={"Content-Type": "text/plain"})
ask("encoding", body=b"{}", headers=JSON | {"Content-Encoding": "br"})
ask("json", body=b'{"resourceSpans": [')
ask("wire", body=b"\xff" * 100, headers=WIRE)
ask("deep", body=b"[" * 100_000)
ask("gzip", body=b"\x1f\x8b garbage", headers=WIRE | {"Content-Encoding": "gzip"})
ask("bomb", body=gzip.compress(bytes(8 << 20)), headers=WIRE | {"Content-Encoding": "gzip"})
ask("long", body=bytes((4 << 20) + 1), headers=WIRE)
head = b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Length: "
raw("huge", head + b"1000000000000000000\r\n\r\n")
raw("negative", head + b"-1\r\n\r\n")
raw("number", head + b"many\r\n\r\n")
raw("head", b"POST /v1/traces HTTP/1.1\r\n", b"X: " + b"x" * 100_000 + b"\r\n\r\n")
raw("garbage", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
ask("no id", body=SPAN % 0)
ask("good", body=SPAN % 1)
ask("pieces", body=iter([(SPAN % 2)[:9], (SPAN % 2)[9:]]), headers=JSON, chunked=True)
ask("again", path="/v1/traces?key=1", body=gzip.compress(SPAN % 3), headers=JSON | {"Content-Encoding": "gzip"})
# Many that say nothing; those that they leave room for are served.
idle = [socket.create_connection(place) for _ in range(100)]
ask("beside", body=SPAN % 4)
