import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;

/**
 * The application under test: a shop that takes mobile money and believes genuine callbacks only,
 * with the Verify of docs/signatures.md.
 */
class Shop implements AutoCloseable {
    /** State of each order. */
    final Map<String, String> orders = new ConcurrentHashMap<>();
    /** Goods leave once for each order. */
    final List<String> shipped = new CopyOnWriteArrayList<>();
    final String callbackUrl;
    private final String url;
    private final String token;
    private final Map<String, String> keys = new HashMap<>();
    private final HttpServer server;

    Shop(String url, String token) throws IOException, InterruptedException {
        this.url = url;
        this.token = token;
        var answer = ask("GET", "/v2/public-key/http", "");
        Pattern.compile("\\{\"id\":\"([^\"]+)\",\"key\":\"([^\"]+)\"\\}").matcher(answer).results()
            .forEach(key -> keys.put(key.group(1), key.group(2).replace("\\n", "\n")));
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = HttpServer.create(address, 0);
        server.createContext("/callbacks", this::hear);
        server.start();
        callbackUrl = "http://127.0.0.1:" + server.getAddress().getPort() + "/callbacks";
    }

    /** Asks a customer for money, and gives the number of the order. */
    String pay() throws InterruptedException {
        var order = UUID.randomUUID().toString();
        // Without an answer nobody knows whether there is a deposit: the order stays open.
        orders.put(order, "OPEN");
        try {
            var status = field(ask("POST", "/v2/deposits", """
                { "depositId": "%s", "amount": "15.00", "currency": "ZMW",
                  "payer": { "type": "MMO", "accountDetails":
                    { "phoneNumber": "260763456789", "provider": "MTN_MOMO_ZMB" } } }
                """.formatted(order)), "status");
            if (!status.equals("ACCEPTED")) orders.replace(order, "OPEN", status);
        } catch (IOException error) {
            return order;
        }
        return order;
    }

    /** Hears how a payment went. */
    private void hear(HttpExchange exchange) throws IOException {
        var body = exchange.getRequestBody().readAllBytes();
        var headers = new HashMap<String, String>();
        exchange.getRequestHeaders().forEach((name, values) ->
            headers.put(name.toLowerCase(), String.join(", ", values)));
        var now = System.currentTimeMillis() / 1000;
        var path = exchange.getRequestURI().toString();
        var isGenuine = Verify.isGenuine("POST", path, headers, body, keys, now);
        if (isGenuine) settle(new String(body));
        exchange.sendResponseHeaders(isGenuine ? 200 : 401, -1);
        exchange.close();
    }

    private void settle(String callback) {
        var isFailed = callback.contains("\"failureCode\"");
        var state = field(callback, isFailed ? "failureCode" : "status");
        var order = field(callback, "depositId");
        if (orders.replace(order, "OPEN", state) && state.equals("COMPLETED")) shipped.add(order);
    }

    String ask(String method, String path, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url + path))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    /** Reads a text from JSON. An application uses its JSON library. */
    static String field(String json, String name) {
        var matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        if (!matcher.find()) throw new IllegalArgumentException("no " + name + " in " + json);
        return matcher.group(1);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
