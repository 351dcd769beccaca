<?php

// A good merchant in PHP: it verifies with examples/verify/verify.php, and books once.
// fails: none

declare(strict_types=1);

require __DIR__ . '/merchant.php';

serve(fn (array $headers, string $body): bool => isGenuine('POST', $_SERVER['REQUEST_URI'], $headers, $body, callApi('/v2/public-key/http')));
