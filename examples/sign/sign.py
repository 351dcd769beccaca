import base64
import hashlib
import time
from datetime import datetime, timezone
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

COVERED = ["@method", "@authority", "@path", "signature-date", "content-digest", "content-type",
           "content-length"]


def sign_request(method, url, body, key_id, private_key, now=None):
    """Returns the headers of a signed request. Send exactly these headers and these bytes.

    `private_key` is an EC P-256 key as PEM, `body` is bytes.
    """
    now = time.time() if now is None else now
    created = int(now)
    digest = base64.b64encode(hashlib.sha512(body).digest()).decode()
    headers = {
        "signature-date": datetime.fromtimestamp(created, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "content-digest": f"sha-512=:{digest}:",
        "content-type": "application/json; charset=UTF-8",
        "content-length": str(len(body)),
    }
    names = " ".join(f'"{name}"' for name in COVERED)
    parameters = (f'({names});alg="ecdsa-p256-sha256";keyid="{key_id}"'
                  f";created={created};expires={created + 60}")
    target = urlsplit(url)
    values = {"@method": method, "@authority": target.netloc, "@path": target.path, **headers}
    lines = [f'"{name}": {values[name]}' for name in COVERED]
    base = "\n".join([*lines, f'"@signature-params": {parameters}'])
    key = load_pem_private_key(private_key.encode(), None)
    signature = base64.b64encode(key.sign(base.encode(), ec.ECDSA(SHA256()))).decode()
    return {**headers, "signature-input": f"sig-pp={parameters}",
            "signature": f"sig-pp=:{signature}:"}
