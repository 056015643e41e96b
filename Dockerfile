# The service with its libraries, as it is tested: built from a checkout, run by a user without rights.
# docker build -t weir:0.1.0 .
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /source
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund \
 && node scripts/packages.mjs server /packed \
 && mkdir /app && tar -xzf /packed/weir-server-*.tgz -C /app --strip-components=1

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 WEIR_DATA_DIR=/data WEIR_POLICIES_DIR=/app/policies
# Threads for name look-ups and files (src/config/network-defaults.ts), for every version of Node.js.
ENV UV_THREADPOOL_SIZE=16
COPY --from=build /app /app
# `weir` is the command; npm and yarn are not needed here and would only require security updates.
RUN ln -s /app/bin/weir.mjs /usr/local/bin/weir \
 && rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && mkdir /data && chown node:node /data
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8080
# The slim image has no curl, so a program checks readiness; its exit code is 0 if the service is ready, otherwise 1.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["weir"]
CMD ["server", "start"]
