import base64
import json
from pathlib import Path

from verify import is_genuine

for file in sorted(Path(__file__).parent.glob("../vectors/*.json")):
    vector = json.loads(file.read_text())
    body = base64.b64decode(vector["body"])
    said = is_genuine(vector["method"], vector["url"], vector["headers"], body, vector["keys"], vector["time"])
    assert vector["decision"] == ("accept" if said else "refuse") or vector["decision"] == "either", vector["name"]
    print(f"ok {vector['decision']} {vector['name']}")
