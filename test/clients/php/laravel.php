<?php

declare(strict_types=1);

/* The part of Laravel that the route in src/docs/php.md needs: a server's script that responds with that route. */

namespace Illuminate\Http {
    final class Request
    {
        public readonly object $headers;

        public function __construct()
        {
            // Headers as in Symfony: lists of values, by names in lower case.
            $this->headers = new class {
                public function all(): array
                {
                    return array_map(fn (string $value) => [$value], array_change_key_case(getallheaders()));
                }
            };
        }

        public function getContent(): string
        {
            return file_get_contents('php://input');
        }
    }
}

namespace Illuminate\Support\Facades {
    final class Route
    {
        public static function post(string $path, \Closure $action): void
        {
            $action(new \Illuminate\Http\Request());
        }
    }
}

namespace {
    final class HandleFolioEvent
    {
        public static function dispatch(array $event): void
        {
            file_put_contents('php://stdout', "{$event['id']} {$event['type']}\n");
        }
    }

    function config(string $name): string
    {
        return getenv('FOLIO_WEBHOOK_SECRET');
    }

    function response(string $content, int $status): void
    {
        http_response_code($status);
        echo $content;
    }

    require 'folio/autoload.php';
    require getenv('FOLIO_ROUTE');
}
