<?php

declare(strict_types=1);

// What the merchants in PHP share: a shop for `php -S`, which keeps its orders in a file. Each of them is one with one bug.

require __DIR__ . '/../../../examples/verify/verify.php';

/** The orders, with nobody else changing them meanwhile. */
function withOrders(callable $work): mixed
{
    $file = fopen(sys_get_temp_dir() . '/momock-merchant-' . getenv('PORT') . '.json', 'c+');
    flock($file, LOCK_EX);
    $orders = json_decode(stream_get_contents($file) ?: '{}', true);
    $result = $work($orders);
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, json_encode($orders));
    flock($file, LOCK_UN);
    return $result;
}

function callApi(string $path, ?array $body = null): array
{
    $options = ['method' => $body === null ? 'GET' : 'POST', 'timeout' => 10, 'header' => ['Authorization: Bearer ' . getenv('PAWAPAY_API_TOKEN'), 'Content-Type: application/json']];
    if ($body !== null) $options['content'] = json_encode($body);
    return json_decode(file_get_contents(getenv('PAWAPAY_BASE_URL') . $path, false, stream_context_create(['http' => $options])), true);
}

function pay(array $values): array
{
    $bytes = bin2hex(random_bytes(16));
    $id = preg_replace('/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/', '$1-$2-4$3-a$4-$5', $bytes);
    $order = ['orderId' => $id, 'amount' => $values['amount'], 'currency' => $values['currency'], 'paid' => false, 'effects' => 0];
    withOrders(function (array &$orders) use ($id, $order) { $orders[$id] = $order; });
    $payer = ['type' => 'MMO', 'accountDetails' => ['phoneNumber' => $values['phoneNumber'], 'provider' => $values['provider']]];
    callApi('/v2/deposits', ['depositId' => $id, 'amount' => $values['amount'], 'currency' => $values['currency'], 'payer' => $payer]);
    return $order;
}

function book(array $record): void
{
    withOrders(function (array &$orders) use ($record) {
        $order = &$orders[$record['depositId'] ?? ''];
        if ($order === null || $record['status'] !== 'COMPLETED' || $order['paid']) return;
        if ((float) $record['amount'] !== (float) $order['amount'] || $record['currency'] !== $order['currency']) return;
        $order['paid'] = true;
        $order['effects']++;
    });
}

/** @param callable(array<string, string>, string): bool $isBelieved */
function serve(callable $isBelieved): void
{
    header('Content-Type: application/json');
    $body = file_get_contents('php://input');
    $path = explode('/', $_SERVER['REQUEST_URI']);
    if ($path[1] === 'pay') {
        echo json_encode(pay(json_decode($body, true)));
    } elseif ($path[1] === 'orders') {
        $order = withOrders(fn (array &$orders) => $orders[$path[2]] ?? null);
        if ($order === null) http_response_code(404);
        echo json_encode($order);
    } elseif ($path[1] === 'callbacks') {
        if ($isBelieved(array_change_key_case(getallheaders()), $body)) book(json_decode($body, true));
        else http_response_code(401);
    }
}
