# One static program and the certificate authorities of the web: no shell, no package manager.
#
#   docker build --tag typus .
#   docker run --publish 127.0.0.1:8080:8080 --volume typus:/data \
#     --env TYPUS_BASE_URL=http://localhost:8080 typus
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# .git is copied too, so that Go can write version, commit and date into the program.
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /root-fs/typus ./cmd/typus \
 && mkdir -p /root-fs/data /root-fs/tmp /root-fs/etc/ssl/certs \
 && cp /etc/ssl/certs/ca-certificates.crt /root-fs/etc/ssl/certs/ \
 && cp LICENSE THIRD_PARTY.md /root-fs/

FROM scratch
COPY --from=build --chown=65532:65532 /root-fs/ /
USER 65532:65532
ENV TYPUS_ADDR=0.0.0.0:8080 TYPUS_DATABASE=/data/typus.db
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=25s --start-period=60s CMD ["/typus", "health"]
ENTRYPOINT ["/typus"]
CMD ["serve"]
