module example.org/libuserevents/bindings/go

go 1.19
