<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

/** Tests of a shop, with PHPUnit. Run them in a folder with the package: phpunit ShopTest.php */
final class ShopTest extends TestCase
{
    // Set-up: one mock for all tests, and one account and one shop for each test.
    private static mixed $momock;
    private static string $mock;
    private string $token;
    private mixed $server;
    private string $shop;

    public static function setUpBeforeClass(): void
    {
        $start = ['node_modules/.bin/momock', '--port', '0', '--db', ':memory:', '--clock', 'frozen'];
        self::$momock = proc_open($start, [1 => ['pipe', 'w']], $pipes);
        self::$mock = json_decode(fgets($pipes[1]), true)['url'];
    }

    public static function tearDownAfterClass(): void
    {
        proc_terminate(self::$momock);
        proc_close(self::$momock);
    }

    protected function setUp(): void
    {
        $this->token = 'sandbox-' . $this->getName();
        $free = stream_socket_server('tcp://127.0.0.1:0');
        $address = stream_socket_get_name($free, false);
        fclose($free);
        $orders = tempnam(sys_get_temp_dir(), 'orders');
        $this->server = proc_open(['php', '-S', $address, __DIR__ . '/shop.php'], [2 => ['pipe', 'w']],
            $pipes, null, ['PAWAPAY_BASE_URL' => self::$mock, 'PAWAPAY_API_TOKEN' => $this->token,
                'SHOP_ORDERS' => $orders, 'PATH' => getenv('PATH')]);
        fgets($pipes[2]); // it says that it has started
        $this->shop = "http://$address";
        $this->admin('PATCH', '/account', ['callbacks' => "$this->shop/callbacks"]);
    }

    protected function tearDown(): void
    {
        proc_terminate($this->server);
    }

    /** Makes a call of the admin API: admin('POST', '/clock/advance', ['by' => '1m']). */
    private function admin(string $method, string $path, array $body): array
    {
        $header = ["Authorization: Bearer $this->token", 'Content-Type: application/json'];
        $http = ['method' => $method, 'header' => $header, 'content' => json_encode($body)];
        $context = stream_context_create(['http' => $http]);
        return json_decode(file_get_contents(self::$mock . '/__admin' . $path, false, $context), true);
    }

    private function pay(): string
    {
        return file_get_contents("$this->shop/pay");
    }

    private function order(string $id): array
    {
        return json_decode(file_get_contents("$this->shop/orders"), true)[$id];
    }

    public function testACustomerPays(): void
    {
        $order = $this->pay();
        $this->admin('POST', '/clock/advance', ['by' => '1m']);
        $this->assertSame('COMPLETED', $this->order($order)['state']);
    }

    public function testACustomerHasNoMoney(): void
    {
        $this->admin('POST', '/scenarios', ['fail' => 'INSUFFICIENT_BALANCE']);
        $order = $this->pay();
        $this->admin('POST', '/clock/advance', ['by' => '1m']);
        $this->assertSame('INSUFFICIENT_BALANCE', $this->order($order)['state']);
    }

    public function testALostAnswerIsNoLostPayment(): void
    {
        $this->admin('POST', '/scenarios', ['fault' => 'lost']);
        $order = $this->pay();
        $this->assertSame('OPEN', $this->order($order)['state']);
        $this->admin('POST', '/clock/advance', ['by' => '1m']);
        $this->assertSame('COMPLETED', $this->order($order)['state']);
        $once = ['payment' => ['kind' => 'deposit'], 'count' => 1];
        $this->assertTrue($this->admin('POST', '/verify', ['expectations' => [$once]])['passed']);
    }

    public function testGoodsLeaveOnceWhenCallbacksComeTwice(): void
    {
        $this->admin('POST', '/scenarios', ['callback' => ['duplicates' => 1]]);
        $order = $this->pay();
        $this->assertSame(2, $this->admin('POST', '/clock/advance', ['by' => '1m'])['callbacks']);
        $this->assertSame(1, $this->order($order)['shipped']);
    }

    public function testAForgedCallbackIsNotBelieved(): void
    {
        $order = $this->pay();
        $forged = ['status' => 'COMPLETED', 'wrongKey' => true];
        $this->admin('POST', "/payments/deposit/$order/callbacks", $forged);
        $this->admin('POST', '/clock/advance', ['by' => 0]);
        $this->assertSame('OPEN', $this->order($order)['state']);
        // The genuine one is believed, so it was the forgery that was refused.
        $this->admin('POST', '/clock/advance', ['by' => '1m']);
        $this->assertSame('COMPLETED', $this->order($order)['state']);
    }

    public function testAnOutageOfTheProviderRejectsThePayment(): void
    {
        $this->admin('PUT', '/providers/MTN_MOMO_ZMB', ['DEPOSIT' => 'CLOSED']);
        $this->assertSame('REJECTED', $this->order($this->pay())['state']);
    }

    public function testACustomerTakesTenMinutes(): void
    {
        $steps = [['after' => 0, 'to' => 'PROCESSING'], ['after' => '10m', 'to' => 'COMPLETED']];
        $this->admin('POST', '/scenarios', ['script' => $steps]);
        $order = $this->pay();
        $this->admin('POST', '/clock/advance', ['by' => '9m']);
        $this->assertSame('OPEN', $this->order($order)['state']);
        $this->admin('POST', '/clock/advance', ['by' => '1m']);
        $this->assertSame('COMPLETED', $this->order($order)['state']);
    }
}
