import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Tests of a shop, with JUnit 5. Run them in a folder with the package. */
class ShopTest {
    // Set-up: one mock for all tests, and one account and one shop for each test.
    static Process momock;
    static String mock;
    Shop shop;

    @BeforeAll
    static void startMock() throws Exception {
        momock = new ProcessBuilder("node_modules/.bin/momock",
            "--port", "0", "--db", ":memory:", "--clock", "frozen").start();
        mock = Shop.field(momock.inputReader().readLine(), "url");
    }

    @AfterAll
    static void stopMock() throws Exception {
        momock.destroy();
        momock.waitFor();
    }

    @BeforeEach
    void openShop(TestInfo test) throws Exception {
        shop = new Shop(mock, "sandbox-" + test.getTestMethod().get().getName());
        admin("PATCH", "/account", "{ \"callbacks\": \"" + shop.callbackUrl + "\" }");
    }

    @AfterEach
    void closeShop() {
        shop.close();
    }

    /** Makes a call of the admin API: admin("POST", "/clock/advance", "{ \"by\": \"1m\" }"). */
    String admin(String method, String path, String body) throws Exception {
        var answer = shop.ask(method, "/__admin" + path, body);
        assertFalse(answer.startsWith("{\"error\""), answer);
        return answer;
    }

    void advance(String time) throws Exception {
        admin("POST", "/clock/advance", "{ \"by\": \"" + time + "\" }");
    }

    @Test
    void aCustomerPays() throws Exception {
        var order = shop.pay();
        advance("1m");
        assertEquals("COMPLETED", shop.orders.get(order));
    }

    @Test
    void aCustomerHasNoMoney() throws Exception {
        admin("POST", "/scenarios", "{ \"fail\": \"INSUFFICIENT_BALANCE\" }");
        var order = shop.pay();
        advance("1m");
        assertEquals("INSUFFICIENT_BALANCE", shop.orders.get(order));
    }

    @Test
    void aLostAnswerIsNoLostPayment() throws Exception {
        admin("POST", "/scenarios", "{ \"fault\": \"lost\" }");
        var order = shop.pay();
        assertEquals("OPEN", shop.orders.get(order));
        advance("1m");
        assertEquals("COMPLETED", shop.orders.get(order));
        var once = "{ \"payment\": { \"kind\": \"deposit\" }, \"count\": 1 }";
        var verdict = admin("POST", "/verify", "{ \"expectations\": [" + once + "] }");
        assertTrue(verdict.contains("\"passed\":true"), verdict);
    }

    @Test
    void goodsLeaveOnceWhenCallbacksComeTwice() throws Exception {
        admin("POST", "/scenarios", "{ \"callback\": { \"duplicates\": 1 } }");
        shop.pay();
        var advance = admin("POST", "/clock/advance", "{ \"by\": \"1m\" }");
        assertTrue(advance.contains("\"callbacks\":2"), advance);
        assertEquals(1, shop.shipped.size());
    }

    @Test
    void aForgedCallbackIsNotBelieved() throws Exception {
        var order = shop.pay();
        var forged = "{ \"status\": \"COMPLETED\", \"wrongKey\": true }";
        admin("POST", "/payments/deposit/" + order + "/callbacks", forged);
        advance("0s");
        assertEquals("OPEN", shop.orders.get(order));
        // The genuine one is believed, so it was the forgery that was refused.
        advance("1m");
        assertEquals("COMPLETED", shop.orders.get(order));
    }

    @Test
    void anOutageOfTheProviderRejectsThePayment() throws Exception {
        admin("PUT", "/providers/MTN_MOMO_ZMB", "{ \"DEPOSIT\": \"CLOSED\" }");
        assertEquals("REJECTED", shop.orders.get(shop.pay()));
    }

    @Test
    void aCustomerTakesTenMinutes() throws Exception {
        var steps = "{ \"after\": 0, \"to\": \"PROCESSING\" }, { \"after\": \"10m\", \"to\": \"COMPLETED\" }";
        admin("POST", "/scenarios", "{ \"script\": [" + steps + "] }");
        var order = shop.pay();
        advance("9m");
        assertEquals("OPEN", shop.orders.get(order));
        advance("1m");
        assertEquals("COMPLETED", shop.orders.get(order));
    }
}
