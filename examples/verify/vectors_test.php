<?php

require __DIR__ . '/verify.php';

foreach (glob(__DIR__ . '/../vectors/*.json') as $file) {
    $vector = json_decode(file_get_contents($file), true);
    ['method' => $method, 'url' => $url, 'headers' => $headers, 'keys' => $keys] = $vector;
    $said = isGenuine($method, $url, $headers, base64_decode($vector['body']), $keys, $vector['time']);
    if (!in_array($vector['decision'], [$said ? 'accept' : 'refuse', 'either'])) exit("not ok {$vector['name']}\n");
    echo "ok {$vector['decision']} {$vector['name']}\n";
}
