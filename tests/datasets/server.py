"""An https server on loopback whose certificate can be trusted or not."""

import contextlib
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import trustme


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requested.append(self.path)
        content = self.server.files.get(self.path)
        if content is None:
            self.send_error(404)
            return
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", content.decode())
            self.end_headers()
            return
        length = len(content)
        if self.path.startswith("/short"):
            length += 10  # The connection ends before all bytes are sent.
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def https_server(files, folder):
    """Serves files; yields its address, its CA file and the requested paths."""
    ca = trustme.CA()
    pem = folder / "ca.pem"
    ca.cert_pem.write_to_path(str(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert("127.0.0.1").configure_cert(context)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.files, server.requested = files, []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        url = f"https://127.0.0.1:{server.server_address[1]}"
        yield url, pem, server.requested
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
