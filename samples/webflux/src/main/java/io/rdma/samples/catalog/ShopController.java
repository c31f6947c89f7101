package io.rdma.samples.catalog;

import io.rdma.samples.latencies.Latencies;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.registry.HttpServiceProxyRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls the catalog over either transport, and measures the calls. */
@RestController
final class ShopController {
    private final HttpServiceProxyRegistry services;
    private final Latencies latencies;

    ShopController(HttpServiceProxyRegistry services, Latencies latencies) {
        this.services = services;
        this.latencies = latencies;
    }

    @GetMapping("/shop/items/{id}")
    Mono<ResponseEntity<Item>> item(@PathVariable int id, @RequestParam String over) {
        return measured(Shop.ITEM, over, catalog(over).item(id));
    }

    @GetMapping("/shop/items")
    Mono<ResponseEntity<List<Item>>> items(@RequestParam String over) {
        return measured(Shop.LIST, over, catalog(over).items());
    }

    @PostMapping("/shop/orders")
    Mono<ResponseEntity<Receipt>> order(@RequestParam int item, @RequestParam int count, @RequestParam String over) {
        return measured(Shop.ORDER, over, catalog(over).order(new Order(item, count)));
    }

    @GetMapping(path = "/statistics", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<List<Latencies.Operation>> statistics() {
        return latencies.snapshots();
    }

    private Items catalog(String over) {
        if (!over.equals(Latencies.RDMA) && !over.equals(Latencies.TCP)) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "over is " + Latencies.RDMA + " or " + Latencies.TCP);
        }
        return services.getClient(over, Items.class);
    }

    /** Measures a call from the request to the decoded answer. Passes the status of a refusal on. */
    private <T> Mono<ResponseEntity<T>> measured(String operation, String over, Mono<T> call) {
        return call.timed()
                .map(done -> {
                    latencies.record(operation, over, done.elapsed());
                    double millis = done.elapsed().toNanos() / 1e6;
                    return ResponseEntity.ok()
                            .header("Server-Timing", "catalog;dur=" + millis)
                            .body(done.get());
                })
                .onErrorMap(
                        WebClientResponseException.class,
                        refusal -> new ResponseStatusException(refusal.getStatusCode(), null, refusal));
    }
}
