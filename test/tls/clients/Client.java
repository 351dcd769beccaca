import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** A client with a hard-coded host. It prints the answer to its deposit. */
public class Client {
    public static void main(String[] args) throws Exception {
        String body = """
            {"depositId":"%s","amount":"15","currency":"ZMW","payer":{"type":"MMO",
            "accountDetails":{"phoneNumber":"260763456789","provider":"MTN_MOMO_ZMB"}}}
            """.formatted(args[0]);
        HttpRequest request = HttpRequest.newBuilder()
            .uri(URI.create("https://api.sandbox.pawapay.io/v2/deposits"))
            .header("Authorization", "Bearer test-token")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        HttpResponse<String> response =
            HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(response.version() + " " + response.body());
    }
}
