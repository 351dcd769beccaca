import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tells genuine callbacks from others. */
public final class Verify {
    /** Without these in it, a signature could be put on another message. */
    private static final List<String> MUST_BE_COVERED =
        List.of("@method", "@authority", "@path", "content-digest");
    private static final Map<String, String> DIGESTS =
        Map.of("sha-256", "SHA-256", "sha-512", "SHA-512");
    private static final Map<String, String> ALGORITHMS = Map.of(
        "ecdsa-p256-sha256", "SHA256withECDSA", "ecdsa-p384-sha384", "SHA384withECDSA",
        "rsa-v1_5-sha256", "SHA256withRSA", "rsa-pss-sha512", "RSASSA-PSS");

    /**
     * Is this callback genuine? `url` is the path with the query, `headers` has its names in lower
     * case, `body` is the bytes as they arrived, `keys` what GET /v2/public-key/http answered, by
     * id, and `now` the time in seconds.
     */
    public static boolean isGenuine(String method, String url, Map<String, String> headers,
            byte[] body, Map<String, String> keys, long now) {
        Matcher signed = match("([\\w.*-]+)=(\\(([^)]*)\\).*)", headers.get("signature-input"));
        Matcher signature = match("([\\w.*-]+)=:([^:]+):", headers.get("signature"));
        if (!signed.matches() || !signature.matches()) return false;
        if (!signed.group(1).equals(signature.group(1))) return false;

        String input = signed.group(2);
        List<String> covered = new ArrayList<>();
        Matcher names = match("\"([^\"]+)\"", signed.group(3));
        while (names.find()) covered.add(names.group(1));
        if (!covered.containsAll(MUST_BE_COVERED)) return false;
        Matcher expires = match(";expires=(\\d+)", input);
        if (!expires.find() || now > Long.parseLong(expires.group(1))) return false;

        StringBuilder base = new StringBuilder();
        for (String name : covered) {
            String value = switch (name) {
                case "@method" -> method;
                case "@authority" -> headers.getOrDefault("host", "").toLowerCase(Locale.ROOT);
                case "@path" -> url.split("\\?", 2)[0];
                default -> headers.get(name);
            };
            base.append('"').append(name).append("\": ").append(value).append('\n');
        }
        base.append("\"@signature-params\": ").append(input);
        Matcher algorithm = match(";alg=\"([^\"]+)\"", input);
        if (!algorithm.find() || !ALGORITHMS.containsKey(algorithm.group(1))) return false;
        for (Map.Entry<String, String> key : keys.entrySet()) {
            if (!input.contains(";keyid=\"" + key.getKey() + "\"")) continue;
            try {
                return isDigestOf(body, headers.get("content-digest"))
                    && verifies(algorithm.group(1), key.getValue(), base.toString(),
                        Base64.getDecoder().decode(signature.group(2)));
            } catch (GeneralSecurityException | IllegalArgumentException error) {
                return false;
            }
        }
        return false;
    }

    private static boolean verifies(String name, String pem, String base, byte[] value)
            throws GeneralSecurityException {
        byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[^-]+-----", ""));
        KeyFactory factory = KeyFactory.getInstance(name.startsWith("rsa") ? "RSA" : "EC");
        Signature signature = Signature.getInstance(ALGORITHMS.get(name));
        if (name.equals("rsa-pss-sha512")) {
            signature.setParameter(
                new PSSParameterSpec("SHA-512", "MGF1", MGF1ParameterSpec.SHA512, 64, 1));
        }
        signature.initVerify(factory.generatePublic(new X509EncodedKeySpec(der)));
        signature.update(base.getBytes(StandardCharsets.ISO_8859_1));
        return signature.verify(value);
    }

    /** Does every known digest fit the body, and is there one? */
    private static boolean isDigestOf(byte[] body, String header) throws GeneralSecurityException {
        Matcher digests = match("([\\w-]+)=:([^:]*):", header);
        int known = 0;
        while (digests.find()) {
            String name = DIGESTS.get(digests.group(1));
            if (name == null) continue;
            byte[] digest = MessageDigest.getInstance(name).digest(body);
            if (!Base64.getEncoder().encodeToString(digest).equals(digests.group(2))) return false;
            known++;
        }
        return known > 0;
    }

    private static Matcher match(String form, String text) {
        return Pattern.compile(form).matcher(text == null ? "" : text);
    }
}
