module userevents

go 1.19
