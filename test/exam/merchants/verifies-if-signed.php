<?php

// Verifies a signature only if there is one.
// fails: SIG-01 SIG-10

declare(strict_types=1);

require __DIR__ . '/merchant.php';

serve(function (array $headers, string $body): bool {
    if (!isset($headers['signature'])) return true;
    return isGenuine('POST', $_SERVER['REQUEST_URI'], $headers, $body, callApi('/v2/public-key/http'));
});
