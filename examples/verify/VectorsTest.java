import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Run it with `java -cp . VectorsTest.java` after `javac Verify.java`. */
public final class VectorsTest {
    public static void main(String[] args) throws Exception {
        try (var files = Files.newDirectoryStream(Path.of("../vectors"), "*.json")) {
            for (Path file : files) {
                String json = Files.readString(file);
                Map<String, String> texts = pairs("\"([^\"]+)\": \"((?:[^\"\\\\]|\\\\.)*)\"", json);
                Map<String, String> keys = pairs("\"id\": \"([^\"]+)\",\\s*\"key\": \"([^\"]+)\"", json);
                long time = Long.parseLong(pairs("\"(time)\": (\\d+)", json).get("time"));
                boolean said = Verify.isGenuine(texts.get("method"), texts.get("url"), texts,
                    Base64.getDecoder().decode(texts.get("body")), keys, time);
                String decision = texts.get("decision");
                if (!decision.equals("either") && said != decision.equals("accept")) throw new AssertionError(file);
                System.out.println("ok " + decision + " " + texts.get("name"));
            }
        }
    }

    /** Java has no JSON parser of its own. A name occurs once in a vector, except those of keys. */
    private static Map<String, String> pairs(String form, String json) {
        Map<String, String> found = new LinkedHashMap<>();
        Matcher matcher = Pattern.compile(form).matcher(json);
        while (matcher.find()) found.put(matcher.group(1), matcher.group(2).replace("\\n", "\n").replace("\\\"", "\""));
        return found;
    }
}
