import base64
import hashlib
import re
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_public_key

# Without these in it, a signature could be put on another message.
MUST_BE_COVERED = {"@method", "@authority", "@path", "content-digest"}


def is_genuine(method, url, headers, body, keys, now=None):
    """Is this callback genuine? `headers` has its names in lower case, `body` is the bytes as they arrived, `keys` what GET /v2/public-key/http answered."""
    signed = re.fullmatch(r"([\w.*-]+)=(\(([^)]*)\).*)", headers.get("signature-input", ""))
    signature = re.fullmatch(r"([\w.*-]+)=:([^:]+):", headers.get("signature", ""))
    if signed is None or signature is None or signed[1] != signature[1]:
        return False

    parameters = signed[2]
    covered = re.findall(r'"([^"]+)"', signed[3])
    expires = re.search(r";expires=(\d+)", parameters)
    if not MUST_BE_COVERED.issubset(covered):
        return False
    if expires is None or (time.time() if now is None else now) > int(expires[1]):
        return False
    digest = base64.b64encode(hashlib.sha512(body).digest()).decode()
    if headers.get("content-digest") != f"sha-512=:{digest}:":
        return False

    derived = {"@method": method, "@authority": headers.get("host"), "@path": url.split("?")[0]}
    lines = [f'"{name}": {derived.get(name) or headers.get(name)}' for name in covered]
    base = "\n".join([*lines, f'"@signature-params": {parameters}'])
    key = next((key["key"] for key in keys if f';keyid="{key["id"]}"' in parameters), None)
    if key is None:
        return False
    try:
        load_pem_public_key(key.encode()).verify(base64.b64decode(signature[2]), base.encode(), ec.ECDSA(SHA256()))
        return True
    except (InvalidSignature, ValueError):
        return False
