<?php
// Receives webhooks and refuses what is not signed.
// SECRET='whsec_…' php -S 127.0.0.1:9000 verify.php

// Over the body alone, keyed with the secret as it was shown. The second
// header is there only while the secret is being changed.
function body_signed(string $secret, string $body): bool
{
    $want = 'sha256=' . hash_hmac('sha256', $body, $secret);
    return hash_equals($want, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '')
        || hash_equals($want, $_SERVER['HTTP_X_SERVICE_SIGNATURE_ALT'] ?? '');
}

// Over id, time and body, keyed with the decoded secret; five minutes old at most.
function message_signed(string $secret, string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (abs(time() - (int) $time) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($want, $given)) {
            return true;
        }
    }
    return false;
}

$secret = (string) getenv('SECRET');
if (!str_starts_with($secret, 'whsec_')) { // an empty key would accept forgeries
    http_response_code(500);
    return;
}
$body = file_get_contents('php://input'); // the bytes as they came: parse them after the check

// One of the two is enough.
if (!body_signed($secret, $body) || !message_signed($secret, $body)) {
    http_response_code(401);
    return;
}
$data = json_decode($body, true)['data'];
// The same webhook-id may come again: store it together with what you do.
$line = [$_SERVER['HTTP_WEBHOOK_ID'], $data['candidate']['external_id'], $data['candidate']['name'], $data['scores']['overall']];
file_put_contents('php://stdout', implode(' ', $line) . "\n");
http_response_code(204); // within 15 seconds; slow work is done afterwards
