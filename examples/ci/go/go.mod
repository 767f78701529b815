module transfer

go 1.19
