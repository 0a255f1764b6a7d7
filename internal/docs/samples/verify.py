# Receives webhooks and refuses what is not signed.
# SECRET='whsec_…' python3 verify.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SECRET", "")
if not SECRET.startswith("whsec_"):
    raise SystemExit("set SECRET")  # an empty key would accept forgeries
KEY = base64.b64decode(SECRET.removeprefix("whsec_"))


# Over the body alone, keyed with the secret as it was shown. The second
# header is there only while the secret is being changed.
def body_signed(headers, body):
    want = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    given = headers.get("X-Service-Signature", ""), headers.get("X-Service-Signature-Alt", "")
    return any(hmac.compare_digest(g.encode(), want.encode()) for g in given)


# Over id, time and body, keyed with the decoded secret; five minutes old at most.
def message_signed(headers, body):
    sent = headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    message = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    want = "v1," + base64.b64encode(hmac.digest(KEY, message, "sha256")).decode()
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(g.encode(), want.encode()) for g in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        size = self.headers.get("Content-Length", "0")
        if not size.isdecimal() or int(size) > 65536:
            return self.answer(413)
        body = self.rfile.read(int(size))  # the bytes as they came: parse them after the check
        # One of the two is enough.
        if not body_signed(self.headers, body) or not message_signed(self.headers, body):
            return self.answer(401)
        data = json.loads(body)["data"]
        # The same webhook-id may come again: store it together with what you do.
        print(self.headers["webhook-id"], data["candidate"]["external_id"], data["candidate"]["name"],
              data["scores"]["overall"], flush=True)
        self.answer(204)  # within 15 seconds; slow work is done afterwards

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver).serve_forever()
