package io.rdma.spring.boot.http;

import io.micrometer.common.KeyValue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientHttpObservationDocumentation.LowCardinalityKeyNames;
import org.springframework.web.reactive.function.client.ClientRequestObservationContext;
import org.springframework.web.reactive.function.client.DefaultClientRequestObservationConvention;

/**
 * Spring's convention of the observations of {@code WebClient}, which takes the host out of addresses over RDMA as
 * well. Otherwise each server would have a value of the key {@code uri} of its own.
 */
final class RdmaClientRequestObservationConvention extends DefaultClientRequestObservationConvention {
    private static final Pattern BEFORE_PATH = Pattern.compile("^rdmas?://[^/]*");

    RdmaClientRequestObservationConvention(String name) {
        super(name);
    }

    @Override
    protected KeyValue uri(ClientRequestObservationContext context) {
        @Nullable String template = context.getUriTemplate();
        if (template == null || !BEFORE_PATH.matcher(template).find()) {
            return super.uri(context);
        }
        String path = BEFORE_PATH.matcher(template).replaceFirst("");
        return KeyValue.of(LowCardinalityKeyNames.URI, path.isEmpty() ? "/" : path);
    }
}
