# The compiler that makes dist/, and everything else only developers need, stays in this stage.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json rolldown.config.js ./
COPY tools tools
COPY src src
COPY routes routes
COPY simulator simulator
COPY db db
RUN npm run build

# What runs, without what comes with it: other machines' binaries, C sources, types and maps.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && cd node_modules/better-sqlite3 && rm -rf deps src binding.gyp \
  && find prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && cd .. && find . -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.md' \) ! -iname 'licen?e*' -delete

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md AGENTS.md ./
COPY schemas schemas
COPY skills skills
COPY docs docs
COPY scenarios scenarios
COPY routes/assets routes/assets
COPY examples examples
RUN chmod +x dist/src/main.js && ln -s /app/dist/src/main.js /usr/local/bin/momock && mkdir /data /tls && chown node:node /data /tls
ENV NODE_ENV=production SQLITE_TMPDIR=/data MOMOCK_HOST=0.0.0.0 MOMOCK_DB=/data/momock.db MOMOCK_TLS_DIR=/tls
USER node
VOLUME /data
VOLUME /tls
EXPOSE 7070
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["momock", "healthcheck"]
ENTRYPOINT ["momock"]
