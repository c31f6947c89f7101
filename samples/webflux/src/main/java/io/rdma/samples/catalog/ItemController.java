package io.rdma.samples.catalog;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The controller of the catalog, as it would be without RDMA: nothing in it knows how its clients come. */
@RestController
final class ItemController {
    /** Number of items. */
    static final int ITEMS = 1000;

    private static final int MOST = 1000;
    private static final int CHEAPEST = 99;

    @GetMapping("/items/{id}")
    Mono<Item> item(@PathVariable int id) {
        return Mono.just(found(id));
    }

    @GetMapping("/items")
    Flux<Item> items() {
        return Flux.range(1, ITEMS).map(ItemController::found);
    }

    @PostMapping("/orders")
    Mono<Receipt> order(@RequestBody Mono<Order> ordered) {
        return ordered.map(order -> {
            if (order.count() < 1 || order.count() > MOST) {
                throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "order 1 to " + MOST + " pieces");
            }
            return new Receipt(order, order.count() * found(order.item()).cents());
        });
    }

    private static Item found(int id) {
        if (id < 1 || id > ITEMS) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "items are 1 to " + ITEMS);
        }
        return new Item(id, "item number " + id, CHEAPEST + id);
    }
}
