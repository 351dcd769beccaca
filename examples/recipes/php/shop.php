<?php

// The application under test: a shop that takes mobile money and believes genuine callbacks only.
// It is served by `php -S ADDRESS shop.php`, and keeps its orders in the file SHOP_ORDERS.

declare(strict_types=1);

// The verification of docs/signatures.md.
require __DIR__ . '/../../verify/verify.php';

/** Asks the payments API. Returns what it answers, or null without an answer. */
function ask(string $path, ?array $body = null): ?array
{
    $request = curl_init(getenv('PAWAPAY_BASE_URL') . $path);
    $token = getenv('PAWAPAY_API_TOKEN');
    curl_setopt_array($request, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HTTPHEADER => ["Authorization: Bearer $token", 'Content-Type: application/json'],
    ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => json_encode($body)]));
    return json_decode((string) curl_exec($request), true);
}

/** Changes the state of the orders, one request at a time. */
function change(callable $change): mixed
{
    $file = fopen(getenv('SHOP_ORDERS'), 'c+');
    flock($file, LOCK_EX);
    $orders = json_decode(stream_get_contents($file) ?: '[]', true);
    $result = $change($orders);
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, json_encode($orders));
    fclose($file);
    return $result;
}

/** Asks a customer for money, and gives the number of the order. */
function pay(): string
{
    $order = vsprintf('%s%s-%s-4%.3s-a%.3s-%s%s%s', str_split(bin2hex(random_bytes(17)), 4));
    change(function (array &$orders) use ($order): void {
        $orders[$order] = ['state' => 'OPEN', 'shipped' => 0];
    });
    $details = ['phoneNumber' => '260763456789', 'provider' => 'MTN_MOMO_ZMB'];
    $answer = ask('/v2/deposits', [
        'depositId' => $order,
        'amount' => '15.00',
        'currency' => 'ZMW',
        'payer' => ['type' => 'MMO', 'accountDetails' => $details],
    ]);
    // Without an answer nobody knows whether there is a deposit: the order stays open.
    if ($answer !== null && $answer['status'] !== 'ACCEPTED') settle($order, $answer['status']);
    return $order;
}

/** Gives an open order its end. */
function settle(string $order, string $state): void
{
    change(function (array &$orders) use ($order, $state): void {
        if (($orders[$order]['state'] ?? '') !== 'OPEN') return;
        $orders[$order]['state'] = $state;
        if ($state === 'COMPLETED') $orders[$order]['shipped']++;
    });
}

/** Hears how a payment went. */
function hear(string $body): int
{
    $headers = array_change_key_case(getallheaders());
    $keys = ask('/v2/public-key/http');
    if (!isGenuine('POST', $_SERVER['REQUEST_URI'], $headers, $body, $keys)) return 401;
    $callback = json_decode($body, true);
    settle($callback['depositId'], $callback['failureReason']['failureCode'] ?? $callback['status']);
    return 200;
}

if (PHP_SAPI === 'cli-server') {
    match ($_SERVER['REQUEST_URI']) {
        '/pay' => print(pay()),
        '/orders' => print(json_encode(change(fn (array &$orders): array => $orders))),
        '/callbacks' => http_response_code(hear(file_get_contents('php://input'))),
    };
}
