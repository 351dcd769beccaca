import base64
import hashlib
import re
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512
from cryptography.hazmat.primitives.serialization import load_pem_public_key

# Without these in it, a signature could be put on another message.
MUST_BE_COVERED = {"@method", "@authority", "@path", "content-digest"}
DIGESTS = {"sha-256": hashlib.sha256, "sha-512": hashlib.sha512}
ALGORITHMS = {
    "ecdsa-p256-sha256": (ec.EllipticCurvePublicKey, [ec.ECDSA(SHA256())]),
    "ecdsa-p384-sha384": (ec.EllipticCurvePublicKey, [ec.ECDSA(SHA384())]),
    "rsa-v1_5-sha256": (rsa.RSAPublicKey, [padding.PKCS1v15(), SHA256()]),
    "rsa-pss-sha512": (rsa.RSAPublicKey, [padding.PSS(padding.MGF1(SHA512()), 64), SHA512()]),
}


def is_genuine(method, url, headers, body, keys, now=None):
    """Is this callback genuine? `headers` has its names in lower case, `body` is the bytes as they
    arrived, `keys` what GET /v2/public-key/http answered."""
    signed = re.fullmatch(r"([\w.*-]+)=(\(([^)]*)\).*)", headers.get("signature-input", ""))
    signature = re.fullmatch(r"([\w.*-]+)=:([^:]+):", headers.get("signature", ""))
    if signed is None or signature is None or signed[1] != signature[1]:
        return False

    parameters = signed[2]
    covered = re.findall(r'"([^"]+)"', signed[3])
    expires = re.search(r";expires=(\d+)", parameters)
    if not MUST_BE_COVERED.issubset(covered):
        return False
    if expires is None or int(time.time() if now is None else now) > int(expires[1]):
        return False
    if not is_digest_of(body, headers.get("content-digest", "")):
        return False

    derived = {"@method": method, "@authority": headers.get("host", "").lower(),
               "@path": url.split("?")[0]}
    lines = [f'"{name}": {derived.get(name) or headers.get(name)}' for name in covered]
    base = "\n".join([*lines, f'"@signature-params": {parameters}'])
    key = next((key["key"] for key in keys if f';keyid="{key["id"]}"' in parameters), None)
    algorithm = re.search(r';alg="([^"]+)"', parameters)
    if key is None or algorithm is None or algorithm[1] not in ALGORITHMS:
        return False
    kind, options = ALGORITHMS[algorithm[1]]
    public_key = load_pem_public_key(key.encode())
    if not isinstance(public_key, kind):
        return False
    try:
        public_key.verify(base64.b64decode(signature[2]), base.encode(), *options)
        return True
    except (InvalidSignature, ValueError):
        return False


def is_digest_of(body, header):
    """Does every known digest fit the body, and is there one?"""
    found = [(DIGESTS[name], value) for name, value in re.findall(r"([\w-]+)=:([^:]*):", header)
             if name in DIGESTS]
    fits = [base64.b64encode(digest(body).digest()).decode() == value for digest, value in found]
    return len(fits) > 0 and all(fits)
