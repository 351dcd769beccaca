import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Starts momock, makes a deposit and receives its callback. Run it in a folder with the package:
 * java Deposit.java
 */
public class Deposit {
    public static void main(String[] arguments) throws Exception {
        var received = new CompletableFuture<String>();
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var receiver = HttpServer.create(address, 0);
        receiver.createContext("/callbacks", exchange -> {
            received.complete(new String(exchange.getRequestBody().readAllBytes()));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        var callbackUrl = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/callbacks";

        var momock = new ProcessBuilder("node_modules/.bin/momock",
            "--port", "0", "--db", ":memory:", "--callback-url", callbackUrl).start();
        receiver.start();
        try {
            // The first line says where the mock is.
            var mock = momock.inputReader().readLine();

            var id = UUID.randomUUID();
            var request = HttpRequest.newBuilder(URI.create(field(mock, "url") + "/v2/deposits"))
                .header("Authorization", "Bearer " + field(mock, "token"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("""
                    { "depositId": "%s", "amount": "15.00", "currency": "ZMW",
                      "payer": { "type": "MMO", "accountDetails":
                        { "phoneNumber": "260763456789", "provider": "MTN_MOMO_ZMB" } } }
                    """.formatted(id)))
                .build();
            var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
            System.out.println("answer: " + field(answer, "status"));

            var callback = received.get(30, TimeUnit.SECONDS);
            if (!callback.contains(id.toString())) throw new Exception("another payment: " + callback);
            System.out.println("callback: " + field(callback, "status"));
        } finally {
            momock.destroy();
            momock.waitFor();
            receiver.stop(0);
        }
    }

    /** Reads a text from JSON. An application uses its JSON library. */
    static String field(String json, String name) {
        var matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        if (!matcher.find()) throw new IllegalArgumentException("no " + name + " in " + json);
        return matcher.group(1);
    }
}
