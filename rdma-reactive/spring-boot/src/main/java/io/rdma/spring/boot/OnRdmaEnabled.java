package io.rdma.spring.boot;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Condition that matches unless {@code rdma.enabled} is false. Spring Boot's condition on a property would take a
 * mistyped value for false; here it fails the start with the name of the property.
 */
final class OnRdmaEnabled extends SpringBootCondition {
    private static final String PROPERTY = "rdma.enabled";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean enabled = Binder.get(context.getEnvironment())
                .bind(PROPERTY, Boolean.class)
                .orElse(true);
        return new ConditionOutcome(
                enabled, ConditionMessage.forCondition(PROPERTY).because("it is " + enabled));
    }
}
