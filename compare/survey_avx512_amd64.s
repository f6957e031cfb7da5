//go:build !purego

#include "textflag.h"

// Z31 is the mask that clears a sign, Z30 the stand-in for a reference of zero, Z29 ones.

// ERRORS leaves the keys of sixteen absolute errors in Z0 and of the relative ones in Z2, and asks
// for what follows in memory. What is no number may have a sign.
#define ERRORS \
	VMOVUPS (DI)(CX*4), Z0      \
	VMOVUPS (SI)(CX*4), Z1      \
	PREFETCHT0 2048(DI)(CX*4)   \
	PREFETCHT0 2048(SI)(CX*4)   \
	VSUBPS Z1, Z0, Z0           \
	VPTESTNMD Z31, Z1, K1       \
	VPANDD Z31, Z1, Z1          \
	VPANDD Z31, Z0, Z0          \
	VMOVAPS Z30, K1, Z1         \
	VDIVPS Z1, Z0, Z2

// BIN adds to the sixteen packed counters of ACC the bins of the keys in KEY. A product gives a bin
// or the one below; NEXT has the least key of the next. What is not finite becomes bin 1.
#define BIN(KEY, SCALE, NEXT, ACC) \
	VMULPS SCALE, KEY, Z1       \
	VCVTTPS2DQ Z1, Z1           \
	VPERMD NEXT, Z1, Z3         \
	VPCMPUD $5, Z3, KEY, K1     \
	VPADDD Z29, Z1, K1, Z1      \
	VPERMD Z20, Z1, Z1          \
	VPADDD Z1, ACC, ACC

// OUTSIDE counts in COUNT the keys from LEAST on, and copies those of them that are not in the gap
// to where TO points.
#define OUTSIDE(KEY, LEAST, GAP, WIDTH, COUNT, TO) \
	VPSUBD GAP, KEY, Z1            \
	VPCMPUD $5, LEAST, KEY, K1     \
	VPCMPUD $5, WIDTH, Z1, K1, K2  \
	VPADDD Z29, COUNT, K1, COUNT   \
	VPCOMPRESSD.Z KEY, K2, Z1      \
	KMOVW K2, AX                   \
	VMOVDQU32 Z1, (TO)             \
	POPCNTL AX, AX                 \
	LEAQ (TO)(AX*4), TO

// UNPACK moves the counters of three bits in ACC to those of nine in A to C, which are the bins 1,
// 4 and 7, then 2, 5 and 8, then 3, 6 and 9.
#define UNPACK(ACC, A, B, C) \
	VPANDD Z21, ACC, Z1     \
	VPADDD Z1, A, A         \
	VPSRLD $3, ACC, Z1      \
	VPANDD Z21, Z1, Z1      \
	VPADDD Z1, B, B         \
	VPSRLD $6, ACC, Z1      \
	VPANDD Z21, Z1, Z1      \
	VPADDD Z1, C, C         \
	VPXORD ACC, ACC, ACC

// ADD adds the sixteen counters of Z to those at AT(R8).
#define ADD(Z, AT) \
	VPADDD AT(R8), Z, Z    \
	VMOVDQU32 Z, AT(R8)

// COUNTERS adds the packed counters of Z, nine bits each, to those of three bins.
#define COUNTERS(Z, AT) \
	VPSRLD $9, Z, Z1        \
	VPANDD Z21, Z, Z        \
	ADD(Z, AT)              \
	VPANDD Z21, Z1, Z2      \
	ADD(Z2, (AT+192))       \
	VPSRLD $9, Z1, Z1      \
	ADD(Z1, (AT+384))

// BEGIN reads what both loops keep in registers: Z8 to Z13 are the points, Z14 and Z15 counts.
#define BEGIN \
	VBROADCASTSS zero+32(FP), Z30   \
	VPTERNLOGD $0xff, Z31, Z31, Z31 \
	VPSRLD $31, Z31, Z29            \
	VPSRLD $1, Z31, Z31             \
	VPBROADCASTD 68(R8), Z8         \
	VPBROADCASTD 72(R8), Z11        \
	VPBROADCASTD 76(R8), Z9         \
	VPBROADCASTD 80(R8), Z12        \
	VPBROADCASTD 84(R8), Z10        \
	VPBROADCASTD 88(R8), Z13        \
	VPXORD Z14, Z14, Z14            \
	VPXORD Z15, Z15, Z15            \
	XORQ CX, CX

// END leaves the counts, and how many keys were copied.
#define END \
	ADD(Z14, 240)        \
	ADD(Z15, 304)        \
	VZEROUPPER           \
	SUBQ abs+40(FP), R9  \
	SUBQ rel+48(FP), R10 \
	SHRQ $2, R9          \
	SHRQ $2, R10

// func surveyAVX512(s *stripSurvey, a, b *float32, n int, zero float32, abs, rel *uint32) (
//     copiedAbs, copiedRel int)
TEXT ·surveyAVX512(SB), NOSPLIT, $0-72
	MOVQ s+0(FP), R8
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ n+24(FP), DX
	MOVQ abs+40(FP), R9
	MOVQ rel+48(FP), R10
	BEGIN
	VMOVDQU32 (R8), Z20      // a counter's one, by bin
	VPBROADCASTD 64(R8), Z21 // the counters of three bits that are unpacked together
	VBROADCASTSS 92(R8), Z16
	VBROADCASTSS 96(R8), Z17
	VMOVDQU32 112(R8), Z18
	VMOVDQU32 176(R8), Z19
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z22, Z22, Z22
	VPXORD Z23, Z23, Z23
	VPXORD Z24, Z24, Z24
	VPXORD Z25, Z25, Z25
	VPXORD Z26, Z26, Z26

seven:
	LEAQ 112(CX), BX // what three bits can count
	CMPQ BX, DX
	CMOVQGT DX, BX

elements:
	ERRORS
	BIN(Z0, Z16, Z18, Z22)
	BIN(Z2, Z17, Z19, Z23)
	OUTSIDE(Z0, Z8, Z9, Z10, Z14, R9)
	OUTSIDE(Z2, Z11, Z12, Z13, Z15, R10)
	ADDQ $16, CX
	CMPQ CX, BX
	JLT elements

	UNPACK(Z22, Z24, Z25, Z26)
	UNPACK(Z23, Z4, Z5, Z6)
	CMPQ CX, DX
	JLT seven

	VPSRLD $22, Z31, Z21 // nine bits
	COUNTERS(Z24, 368)
	COUNTERS(Z25, 432)
	COUNTERS(Z26, 496)
	COUNTERS(Z4, 944)
	COUNTERS(Z5, 1008)
	COUNTERS(Z6, 1072)
	END
	MOVQ R9, copiedAbs+56(FP)
	MOVQ R10, copiedRel+64(FP)
	RET

// func ranksAVX512(s *stripSurvey, a, b *float32, n int, zero float32, abs, rel *uint32) (
//     copiedAbs, copiedRel int)
TEXT ·ranksAVX512(SB), NOSPLIT, $0-72
	MOVQ s+0(FP), R8
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ n+24(FP), DX
	MOVQ abs+40(FP), R9
	MOVQ rel+48(FP), R10
	BEGIN

elements:
	ERRORS
	OUTSIDE(Z0, Z8, Z9, Z10, Z14, R9)
	OUTSIDE(Z2, Z11, Z12, Z13, Z15, R10)
	ADDQ $16, CX
	CMPQ CX, DX
	JLT elements

	END
	MOVQ R9, copiedAbs+56(FP)
	MOVQ R10, copiedRel+64(FP)
	RET
