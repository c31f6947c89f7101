package io.rdma.samples.catalog;

import io.rdma.spring.boot.http.RdmaHttpServerLifecycle;
import java.util.Objects;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** The service. The property {@code rdma.http.port} has it serve over RDMA, beside TCP. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(ItemController.class)
class CatalogService {
    /** Text that the service prints first, followed by its port for TCP. */
    static final String TCP_READY = "catalog over TCP on port ";

    /** Text that the service prints then, followed by its port for RDMA. */
    static final String RDMA_READY = "catalog over RDMA on port ";

    CatalogService() {}

    static ConfigurableApplicationContext run(String... properties) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(CatalogService.class)
                .properties("spring.config.name=catalog-service")
                .run(properties);
        WebServerApplicationContext web = (WebServerApplicationContext) context;
        System.out.println(
                TCP_READY + Objects.requireNonNull(web.getWebServer()).getPort());
        System.out.println(RDMA_READY
                + context.getBean(RdmaHttpServerLifecycle.class).address().getPort());
        return context;
    }
}
