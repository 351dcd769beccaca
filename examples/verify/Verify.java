import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Tells genuine callbacks from others. */
public final class Verify {
    /** Without these in it, a signature could be put on another message. */
    private static final List<String> MUST_BE_COVERED =
        List.of("@method", "@authority", "@path", "content-digest");

    /**
     * Is this callback genuine? headers has its names in lower case, body holds the bytes as they
     * arrived, keys has each key of GET /v2/public-key/http by its id, now is in seconds.
     */
    public static boolean isGenuine(String method, String path, Map<String, String> headers,
            byte[] body, Map<String, String> keys, long now) {
        var signed = Pattern.compile("([\\w.*-]+)=(\\(([^)]*)\\).*)")
            .matcher(headers.getOrDefault("signature-input", ""));
        var signature = Pattern.compile("([\\w.*-]+)=:([^:]+):")
            .matcher(headers.getOrDefault("signature", ""));
        if (!signed.matches() || !signature.matches()) return false;
        if (!signed.group(1).equals(signature.group(1))) return false;

        var input = signed.group(2);
        var covered = Pattern.compile("\"([^\"]+)\"").matcher(signed.group(3)).results()
            .map(found -> found.group(1)).toList();
        if (!covered.containsAll(MUST_BE_COVERED)) return false;
        var expires = Pattern.compile(";expires=(\\d{1,15})").matcher(input);
        if (!expires.find() || now > Long.parseLong(expires.group(1))) return false;

        var derived = Map.of("@method", method, "@path", path.split("\\?")[0],
            "@authority", headers.getOrDefault("host", ""));
        var base = new StringBuilder();
        for (var name : covered) {
            var value = derived.getOrDefault(name, headers.get(name));
            base.append('"').append(name).append("\": ").append(value).append('\n');
        }
        base.append("\"@signature-params\": ").append(input);
        try {
            var digest = MessageDigest.getInstance("SHA-512").digest(body);
            var wanted = "sha-512=:" + Base64.getEncoder().encodeToString(digest) + ":";
            if (!wanted.equals(headers.get("content-digest"))) return false;
            for (var key : keys.entrySet()) {
                if (!input.contains(";keyid=\"" + key.getKey() + "\"")) continue;
                var der = Base64.getMimeDecoder()
                    .decode(key.getValue().replaceAll("-----[A-Z ]+-----", ""));
                var verifier = Signature.getInstance("SHA256withECDSA");
                verifier.initVerify(KeyFactory.getInstance("EC")
                    .generatePublic(new X509EncodedKeySpec(der)));
                verifier.update(base.toString().getBytes(StandardCharsets.UTF_8));
                return verifier.verify(Base64.getDecoder().decode(signature.group(2)));
            }
            return false;
        } catch (java.security.GeneralSecurityException | IllegalArgumentException error) {
            return false;
        }
    }
}
