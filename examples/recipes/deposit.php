<?php
// Starts momock, makes a deposit and receives its callback. Run it in a folder with the package:
// php deposit.php

$receiver = stream_socket_server('tcp://127.0.0.1:0');
$callbackUrl = 'http://' . stream_socket_get_name($receiver, false) . '/callbacks';
$momock = proc_open(
    ['node_modules/.bin/momock', '--port', '0', '--db', ':memory:', '--callback-url', $callbackUrl],
    [1 => ['pipe', 'w']],
    $pipes
);

try {
    // The first line says where the mock is.
    ['url' => $url, 'token' => $token] = json_decode(fgets($pipes[1]), true);

    $id = vsprintf('%s%s-%s-4%.3s-a%.3s-%s%s%s', str_split(bin2hex(random_bytes(17)), 4));
    $request = curl_init("$url/v2/deposits");
    curl_setopt_array($request, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HTTPHEADER => ["Authorization: Bearer $token", 'Content-Type: application/json'],
        CURLOPT_POSTFIELDS => json_encode([
            'depositId' => $id,
            'amount' => '15.00',
            'currency' => 'ZMW',
            'payer' => [
                'type' => 'MMO',
                'accountDetails' => ['phoneNumber' => '260763456789', 'provider' => 'MTN_MOMO_ZMB'],
            ],
        ]),
    ]);
    echo 'answer: ', json_decode(curl_exec($request), true)['status'], "\n";

    $connection = stream_socket_accept($receiver, 30);
    $length = 0;
    while (($line = trim(fgets($connection))) !== '') {
        if (stripos($line, 'content-length:') === 0) {
            $length = (int) substr($line, 15);
        }
    }
    $callback = json_decode(stream_get_contents($connection, $length), true);
    fwrite($connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    fclose($connection);
    echo 'callback: ', $callback['status'], $callback['depositId'] === $id ? '' : ' of another', "\n";
} finally {
    proc_terminate($momock);
    proc_close($momock);
}
