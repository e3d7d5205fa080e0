# SPDX-License-Identifier: Apache-2.0
"""A shop and its store, as two processes, instrumented with the SDK of OpenTelemetry for Python.

    shop.py            starts the store, asks it once over HTTP, and logs what it got
"""
import http.client
import http.server
import subprocess
import sys

from opentelemetry import propagate, trace
from opentelemetry._logs import SeverityNumber, set_logger_provider
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import ProcessResourceDetector, Resource, get_aggregated_resources
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

role = sys.argv[1] if len(sys.argv) > 1 else "shop"
resource = get_aggregated_resources(
    [ProcessResourceDetector()], initial_resource=Resource.create({"service.name": role})
)
# The exporters find where to send by OTEL_EXPORTER_OTLP_ENDPOINT; one compresses, one does not.
spans = TracerProvider(resource=resource)
spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(compression=Compression.Gzip)))
logs = LoggerProvider(resource=resource)
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
tracer = spans.get_tracer("shop")
kind = trace.SpanKind


class Store(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        context = propagate.extract(self.headers)
        with tracer.start_as_current_span("GET /stock", context=context, kind=kind.SERVER):
            self.send_response(200)
            self.end_headers()

    def log_message(self, *words):
        pass


def store():
    server = http.server.HTTPServer(("127.0.0.1", 0), Store)
    print(server.server_port, flush=True)
    server.handle_request()


def shop():
    child = subprocess.Popen([sys.executable, __file__, "store"], stdout=subprocess.PIPE)
    connection = http.client.HTTPConnection("127.0.0.1", int(child.stdout.readline()))
    with tracer.start_as_current_span("order"):
        with tracer.start_as_current_span("GET", kind=kind.CLIENT):
            headers = {}
            propagate.inject(headers)
            connection.request("GET", "/stock", headers=headers)
            connection.getresponse().read()
        logs.get_logger("shop").emit(
            timestamp=None,
            severity_number=SeverityNumber.WARN,
            body="card 4111-1111",
        )
    child.wait()


globals()[role]()
spans.shutdown()
logs.shutdown()
