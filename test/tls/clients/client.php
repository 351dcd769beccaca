<?php
// A client with a hard-coded host. It prints the status of its deposit. It uses the curl extension
// as most SDKs do, or else the streams of PHP.
$url = 'https://api.sandbox.pawapay.io/v2/deposits';
$headers = ['Authorization: Bearer test-token', 'Content-Type: application/json'];
$body = json_encode([
    'depositId' => $argv[1],
    'amount' => '15',
    'currency' => 'ZMW',
    'payer' => [
        'type' => 'MMO',
        'accountDetails' => ['phoneNumber' => '260763456789', 'provider' => 'MTN_MOMO_ZMB'],
    ],
]);
if (extension_loaded('curl')) {
    $call = curl_init($url);
    curl_setopt_array($call, [
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_RETURNTRANSFER => true,
    ]);
    $text = curl_exec($call);
    if ($text === false) {
        fwrite(STDERR, curl_error($call) . "\n");
    }
} else {
    $context = ['method' => 'POST', 'header' => implode("\r\n", $headers), 'content' => $body];
    $text = file_get_contents($url, false, stream_context_create(['http' => $context]));
}
if ($text === false) {
    exit(1);
}
echo json_decode($text)->status, "\n";
