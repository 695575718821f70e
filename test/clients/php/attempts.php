<?php

declare(strict_types=1);

/*
 * Makes one call for each case, and prints its result as a line of JSON. Records the pauses without waiting: the client
 * finds this usleep() before PHP's own.
 */

namespace Folio {
    function usleep(int $microseconds): void
    {
        $GLOBALS['pauses'][] = $microseconds / 1_000_000;
    }
}

namespace {
    use Folio\ApiException;
    use Folio\Client;
    use Folio\NoAnswerException;

    require __DIR__ . '/../../../src/clients/php/autoload.php';

    ini_set('zend.exception_ignore_args', '0');

    function said(\Throwable $error): string
    {
        return $error . print_r($error, true);
    }

    function attempt(string $name, callable $call): void
    {
        $GLOBALS['pauses'] = [];
        $result = ['case' => $name];
        try {
            $result['outcome'] = $call();
        } catch (ApiException $error) {
            $result += ['outcome' => 'ApiError', 'status' => $error->status, 'code' => $error->errorCode];
            $result += ['key' => $error->idempotencyKey, 'said' => said($error)];
        } catch (NoAnswerException $error) {
            $result += ['outcome' => 'NoAnswerError', 'status' => $error->status];
            $result += ['key' => $error->idempotencyKey, 'said' => said($error)];
        } catch (\InvalidArgumentException $error) {
            $result += ['outcome' => 'refused', 'said' => said($error)];
        }
        echo json_encode($result + ['pauses' => $GLOBALS['pauses']], JSON_INVALID_UTF8_SUBSTITUTE), "\n";
    }

    function folio(?string $url = null, float $timeoutSeconds = 30.0): Client
    {
        return new Client($url ?? getenv('FOLIO_URL'), getenv('FOLIO_KEY'), timeoutSeconds: $timeoutSeconds);
    }

    foreach (array_slice($argv, 1) as $name) {
        $folio = folio(timeoutSeconds: in_array($name, ['never', 'drip'], true) ? 0.3 : 30.0);
        attempt($name, fn () => $folio->request('POST', "/v1/cases/$name", [], ['amount' => '1.00'])['object']);
    }
    attempt('certificate', fn () => folio(getenv('FOLIO_TLS_URL'))->versions()['object']);
    attempt('shown', function () {
        ob_start();
        var_dump(folio());
        return ob_get_clean() . print_r(folio(), true) . json_encode(folio());
    });
    $url = getenv('FOLIO_URL');
    attempt('key', fn () => new Client($url, "sk_test\r\nX-Other: 1"));
    attempt('version', fn () => new Client($url, 'sk_test_x', "2026-01-01\r\nX-Other: 1"));
    attempt('user', fn () => new Client('http://somebody@127.0.0.1', 'sk_test_x'));
    attempt('scheme', fn () => new Client('file:///etc', 'sk_test_x'));
    attempt('idempotency key', fn () => folio()->customers->create([], "1\r\nX-Other: 1"));
    attempt('method', fn () => folio()->request("GET / HTTP/1.1\r\nX-Other: 1\r\n", '/v1/cases/x'));
    attempt('path', fn () => folio()->request('GET', "/v1/cases/x HTTP/1.1\r\nX-Other: 1"));
    attempt('no id', fn () => folio()->customers->delete(''));
    attempt('parent', fn () => folio()->customers->delete('..'));
}
