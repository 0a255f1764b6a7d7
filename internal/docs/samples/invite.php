<?php
// KEY='typ_live_…' php invite.php
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ['Authorization: Bearer ' . getenv('KEY'), 'Content-Type: application/json'],
    'content' => json_encode([
        'name' => 'Jana Öztürk',
        'email' => 'jana.oeztuerk@example.com',
        'external_id' => 'crm-42',
        'send_email' => false,
    ]),
    'timeout' => 20,
    'ignore_errors' => true, // read the body of an error too
]]);
$answer = json_decode(file_get_contents('https://typus.example.com/api/v1/invites', false, $context), true);
if (!$answer['ok']) {
    fwrite(STDERR, $answer['code'] . ' ' . $answer['detail'] . "\n");
    exit(1);
}
echo $answer['invite_url'], "\n";
