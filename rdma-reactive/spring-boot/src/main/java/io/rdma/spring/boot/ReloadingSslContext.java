package io.rdma.spring.boot;

import java.lang.System.Logger;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * TLS context of an SSL bundle that may be updated. New connections use the newest certificates; established ones are
 * not affected.
 */
final class ReloadingSslContext extends SSLContext {
    private ReloadingSslContext(Current current) {
        super(current, current.context.getProvider(), current.context.getProtocol());
    }

    /**
     * Returns the context of a bundle, and follows the updates of the bundle from now on.
     *
     * @param bundles have the bundle
     * @param name name of the bundle
     */
    static SSLContext of(SslBundles bundles, String name) {
        Current current = new Current(bundles.getBundle(name).createSslContext());
        bundles.addBundleUpdateHandler(name, updated -> current.replace(name, updated));
        current.replace(name, bundles.getBundle(name)); // it may have been updated before the handler was there
        return new ReloadingSslContext(current);
    }

    /** Context of the newest bundle. */
    private static final class Current extends SSLContextSpi {
        private volatile SSLContext context;

        private Current(SSLContext context) {
            this.context = context;
        }

        private void replace(String name, SslBundle updated) {
            try {
                context = updated.createSslContext();
            } catch (RuntimeException e) { // such as a key that does not fit its certificate
                System.getLogger(ReloadingSslContext.class.getName())
                        .log(
                                Logger.Level.WARNING,
                                "the update of the SSL bundle " + name + " cannot be used, so RDMA connections keep the"
                                        + " certificates of before",
                                e);
            }
        }

        @Override
        protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {
            throw new UnsupportedOperationException("the context of an SSL bundle is initialised already");
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            return context.getSocketFactory();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            return context.getServerSocketFactory();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            return context.createSSLEngine();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            return context.createSSLEngine(host, port);
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            return context.getServerSessionContext();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            return context.getClientSessionContext();
        }

        @Override
        protected SSLParameters engineGetDefaultSSLParameters() {
            return context.getDefaultSSLParameters();
        }

        @Override
        protected SSLParameters engineGetSupportedSSLParameters() {
            return context.getSupportedSSLParameters();
        }
    }
}
