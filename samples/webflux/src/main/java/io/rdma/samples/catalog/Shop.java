package io.rdma.samples.catalog;

import io.micrometer.core.instrument.MeterRegistry;
import io.rdma.samples.latencies.Latencies;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.HttpServiceGroup.ClientType;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * A client of the service, with a page that shows the times of its calls. The groups {@code rdma} and {@code tcp} call
 * the same service: {@code shop.properties} has their addresses.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(ShopController.class)
@ImportHttpServices(group = Latencies.RDMA, types = Items.class, clientType = ClientType.WEB_CLIENT)
@ImportHttpServices(group = Latencies.TCP, types = Items.class, clientType = ClientType.WEB_CLIENT)
class Shop {
    /** Kind of call: one item. */
    static final String ITEM = "item";

    /** Kind of call: the list of all items. */
    static final String LIST = "list";

    /** Kind of call: an order. */
    static final String ORDER = "order";

    Shop() {}

    @Bean
    static Latencies latencies(MeterRegistry registry) {
        return new Latencies(registry, "catalog.calls", List.of(ITEM, LIST, ORDER));
    }

    /** Starts the client, and returns the address of its page. */
    static String run(String[] properties) {
        WebServerApplicationContext context = (WebServerApplicationContext) new SpringApplicationBuilder(Shop.class)
                .properties("spring.config.name=shop")
                .run(properties);
        return "http://localhost:"
                + Objects.requireNonNull(context.getWebServer()).getPort() + "/shop.html";
    }
}
